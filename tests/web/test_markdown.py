"""Markdown that others wrote, as markup."""

import re

import pytest

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
