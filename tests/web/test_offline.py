from warpbook.web.markup import h
from warpbook.web.offline import offline

PLACES = {"/hypotheses/H-1": "H-1"}


def test_a_link_to_what_is_in_the_file_leads_there():
    made = offline(h('<a class="ref" href="/hypotheses/H-1?x=1">H-1</a>'), PLACES)
    assert made == '<a class="ref" href="#H-1">H-1</a>'


def test_a_link_to_another_page_is_its_text():
    assert offline(h('<a href="/graph">graph</a>'), PLACES) == "<span>graph</span>"
    assert offline(h('<svg><a href="/graph"><circle/></a></svg>'), PLACES) == (
        "<svg><g><circle/></g></svg>"
    )


def test_a_link_away_stays():
    made = offline(h('<a href="https://example.org">there</a>'), PLACES)
    assert 'href="https://example.org"' in made


def test_a_link_that_runs_something_goes():
    assert "javascript" not in offline(h('<a href="javascript:alert(1)">x</a>'), PLACES)


def test_what_changes_the_book_is_left_out():
    page = h(
        '<p>before</p><form data-post="/api/x"><input name="a"><label>A <b>b</b></label>'
        '<button>go</button></form><button data-post="/api/y">stop</button>'
        '<a data-query href="?sort=x" aria-label="sort by x">▿</a>'
        '<nav><a data-query href="?page=2">next</a></nav><p>after</p>'
    )
    assert offline(page, PLACES) == "<p>before</p><nav></nav><p>after</p>"


def test_a_name_that_asks_for_another_view_stays_as_a_name():
    made = offline(h('<td><a data-query href="?rung=online"><b>online</b></a></td>'), PLACES)
    assert made == "<td><span><b>online</b></span></td>"


def test_text_stays_text():
    hostile = h('<p data-tip="{0}">{0}</p>', '<script>alert("&lt;")</script>')
    made = offline(hostile, PLACES)
    assert made == hostile


def test_names_of_parts_are_not_given_twice():
    assert offline(h('<section id="learned">x</section>'), PLACES) == "<section>x</section>"
    assert 'id="arrow"' in offline(h('<svg><marker id="arrow"></marker></svg>'), PLACES)
