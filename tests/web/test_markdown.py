"""Markdown that others wrote, as markup."""

import re

import pytest

from warpbook.journal.days.figures import Figure
from warpbook.web.markdown import LONGEST, markdown, set_apart


def test_plain_markdown():
    made = markdown("**One** pass:\n\n- reads\n- writes\n\n`exp`\n\n# Why")
    assert "<strong>One</strong>" in made
    assert "<li>reads</li>" in made
    assert "<code>exp</code>" in made
    assert "<h4>Why</h4>" in made


def test_names_lead_to_what_they_name():
    assert '<a class="ref" href="/hypotheses/H-3">H-3</a>' in markdown("as H-3 shows")
    assert markdown("[as H-3 shows](/log)").count("<a ") == 1


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=alert(1)>b</b>",
        "`<script>`",
        "```<script>\n</pre><script>\n```",
        "<!-- --><svg/onload=alert(1)>",
        "&lt;script&gt;",
        "[<img src=x>](/log)",
        '![" onerror="alert(1)](/log)',
        '[a](/log "\\" onclick=\\"alert(1)")',
    ],
)
def test_html_is_text(text):
    made = markdown(text)
    assert not re.search(r"<(script|img|b |svg|!--)", made)
    for tag in re.findall(r"<[^>]*>", made):
        assert not re.search(r"""[^\w"]on\w+\s*=(?=[^"]*("[^"]*"[^"]*)*$)""", tag), tag


@pytest.mark.parametrize(
    "text",
    [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html,x)",
        "[a](//elsewhere.example)",
        "[a](file:///etc/passwd)",
        "[a](&#106;avascript:alert(1))",
        "<javascript:alert(1)>",
        "[a]\n\n[a]: vbscript:x",
        "![a](javascript:alert(1))",
    ],
)
def test_links_that_may_not_be_followed_are_none(text):
    assert "<a" not in markdown(text)


def test_links_lead_away_or_within():
    away = markdown("[there](https://example.org/x)")
    assert '<a href="https://example.org/x" rel="noreferrer noopener" target="_blank">' in away
    assert '<a href="/runs/R-5">' in markdown("[run](/runs/R-5)")


def test_images_are_not_loaded():
    made = markdown("![a picture](https://example.org/x.png)")
    assert "<img" not in made
    assert "image: a picture</a>" in made


@pytest.mark.parametrize("text", ["\x1b[31m", "&#x202e;abc", "`\x07`", "[a](/log '\u202e')"])
def test_what_cannot_be_seen_is_spelled_out(text):
    made = markdown(text)
    assert made.replace("\n", "").isprintable()
    assert re.search(r"\\(x1b|u202e|x07)", made)


def test_a_long_text_is_cut():
    made = markdown("y" * 10_000_000)
    assert len(made) < 2 * LONGEST
    assert "9,990,000 more characters" in made


def test_code_is_highlighted_and_escaped_in_any_language():
    made = markdown("```python\ndef f(): return '<b>'\n```\n\n```nonsense x\n<i>\n```\n\n    <u>\n")
    assert '<span class="tk">def</span>' in made
    assert "&lt;b&gt;" in made
    assert "&lt;i&gt;" in made
    assert "&lt;u&gt;" in made
    assert made.count("<pre") == 3


def test_words_are_set_apart_in_text_and_code_and_nowhere_else():
    blank = set_apart('<i>"x"', "blank")
    made = markdown(f"a {blank} in `{blank}` and [a](/x '{blank}') [{blank}](/y)")
    apart = '<b class="blank">&lt;i&gt;&#34;x&#34;</b>'
    assert made.count(apart) == 3
    assert made.count("<b ") == 3


def test_tables():
    made = markdown("| a | b |\n| --- | ---: |\n| <i> | 2 |\n")
    assert "<th>a</th>" in made
    assert "<td>&lt;i&gt;</td>" in made


def figured(prose, **found):
    usual = {"text": "1.3x", "address": "/x"}
    return markdown(prose, figure_of=lambda reference: Figure(reference, **usual | found))


def test_references_show_their_figure_and_lead_there():
    made = figured("as run:E-31, **kernel:vector_add** and H-3 show", address="/experiments/E-31")
    assert 'as <a class="cite" href="/experiments/E-31">run:E-31 <b>1.3x</b></a>, <strong>' in made
    assert ">kernel:vector_add <b>1.3x</b></a></strong>" in made
    assert ">H-3 <b>1.3x</b></a> show" in made
    assert 'unknown">run:E-9 <i>1.3x</i></span>' in figured("run:E-9", known=False)


@pytest.mark.parametrize("text", ["`run:E-1`", "[run:E-1](/log)", "```\nrun:E-1\n```", "run:fast"])
def test_code_and_links_have_no_references(text):
    assert "cite" not in figured(text)


@pytest.mark.parametrize(
    "found",
    [
        {"text": "<script>alert(1)</script>\x1b\u202e"},
        {"text": "<img src=x>", "known": False},
        {"address": "javascript:alert(1)"},
        {"address": '/x" onclick="alert(1)'},
    ],
)
def test_a_figure_is_text_whatever_it_says(found):
    made = figured("run:E-1 <b>card:x</b>", **found)
    assert not re.search(r'<(script|img|b>c)|javascript:|\x1b|\u202e|" onclick', made)


def test_boxes_of_items_are_drawn():
    made = markdown("- [ ] one\n- [x] two\n- [-] three\n\n[ ] none")
    for state in ("open", "done", "dropped"):
        assert f'<span class="box {state}" role="img" aria-label="{state}">' in made
    assert "<p>[ ] none</p>" in made
