import pytest

from warpbook.web.markup import Markup, attributes, h, href, join, link, query_of, text

HOSTILE = '<script>alert(1)</script>" onmouseover="x'


def test_what_is_put_into_a_template_is_text():
    made = h('<b title="{}">{}</b>', HOSTILE, HOSTILE)
    assert "<script>" not in made
    assert '" onmouseover' not in made
    assert made.startswith('<b title="&lt;script&gt;')


def test_markup_put_into_a_template_stays_markup():
    assert h("<p>{}</p>", h("<b>{}</b>", "a")) == "<p><b>a</b></p>"


def test_nothing_is_shown_for_none():
    assert h("<p>{}</p>", None) == "<p></p>"


def test_braces_in_what_people_typed_are_no_places_to_fill():
    assert h("<p>{}</p>", "{0.__class__}") == "<p>{0.__class__}</p>"


def test_characters_that_cannot_be_seen_are_spelled_out():
    made = h("{}", "a\x1b[31m\u202eb\nc")
    assert made == "a\\x1b[31m\\u202eb\nc"


def test_a_long_text_is_cut_and_says_by_how_much():
    made = text("x" * 10_000_000, limit=100)
    assert len(made) < 300
    assert "9,999,900 more characters" in made


def test_attributes_are_left_out_where_they_have_no_value():
    assert attributes(data_tip=None, hidden=True, class_="a", open=False) == ' hidden class="a"'


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//elsewhere.example/x",
        "/\\elsewhere.example",
        "\\\\elsewhere.example",
        "",
        "http://[",
    ],
)
def test_a_link_leads_nowhere_but_http_and_the_dashboard(address):
    assert href(address) == ""
    assert "href" not in link(address, "label")


@pytest.mark.parametrize(
    "address", ["https://example.org/a?b", "/experiments/E-1", "#main", "?a=b"]
)
def test_a_link_to_http_or_within_is_kept(address):
    assert href(address) == address


def test_a_link_away_does_not_tell_where_it_comes_from():
    assert 'rel="noreferrer noopener"' in link("https://example.org", "there")
    assert "rel=" not in link("/graph", "graph")


def test_joining_keeps_markup():
    assert isinstance(join([h("<i>{}</i>", "<")]), Markup)
    assert join([h("a"), h("b")], ", ") == "a, b"


def test_a_changed_query_goes_back_to_the_first_page():
    assert query_of({"sort": "cost", "page": "3"}, sort="-cost") == "?sort=-cost"
    assert query_of({"sort": "cost", "page": "3"}, page=4) == "?sort=cost&page=4"
    assert query_of({"search": "a&b"}, sort=None) == "?search=a%26b"
