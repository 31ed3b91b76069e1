"""One browser on one page: what its panels ask with, and what they show when that goes wrong."""

from types import SimpleNamespace

import looping
import pytest

from warpbook.core.errors import BadInput
from warpbook.web.markup import Markup
from warpbook.web.visit import Visit, query_from


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", {}),
        ("?sort=-cost&page=2", {"sort": "-cost", "page": "2"}),
        ("?search=%3Cb%3E&search=last", {"search": "last"}),
        ("?" + "a=1&" * 100, {}),
        ("?%00=\x00&=&&", {"\x00": "\x00"}),
    ],
)
def test_whatever_a_browser_sends_is_a_query(text, query):
    assert query_from(text) == query


def visit():
    return Visit(SimpleNamespace(), SimpleNamespace(), {}, {})


@pytest.mark.parametrize(
    "error", [BadInput("no such <order>"), OSError(5, "Input/output error", "log")]
)
def test_what_goes_wrong_later_is_shown_in_its_place(error):
    async def render(query):
        raise error

    made = looping.run(visit()._rendered(render))
    assert "Input/output error" in made or "no such &lt;order&gt;" in made


def test_a_panel_shows_markup_alone():
    async def render(query):
        return "<b>text</b>"

    with pytest.raises(TypeError):
        looping.run(visit()._rendered(render))

    async def better(query):
        return Markup("<b>text</b>")

    assert looping.run(visit()._rendered(better)) == "<b>text</b>"
