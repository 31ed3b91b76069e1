"""One browser on one page: what its panels ask with, and what they show when that goes wrong."""

from types import SimpleNamespace

import looping
import pytest

from warpbook.core.errors import BadInput
from warpbook.web import visit as visits
from warpbook.web.markup import Markup
from warpbook.web.visit import Kept, Visit, query_from


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


def test_what_changes_while_a_browser_is_away_is_rendered_when_it_is_back(monkeypatch):
    monkeypatch.setattr(visits, "GAP_S", 0)
    client = SimpleNamespace(is_deleted=False, has_socket_connection=False)
    looks, there, shown = [], [], []

    async def change(since, timeout_s):
        looks.append(since)
        client.has_socket_connection = len(looks) >= 3
        client.is_deleted = len(looks) >= 5

    async def render(query):
        there.append(client.has_socket_connection)
        return Markup("news")

    feed = SimpleNamespace(closed=False, ground=(2, 0), last_event=2, change=change)
    made = Visit(SimpleNamespace(feed=feed), client, {}, {})
    made.kept.append(Kept(SimpleNamespace(show=shown.append), render, "events", (1, 0)))
    looping.run(made._follow())
    assert (there, shown) == ([True], ["news"])
