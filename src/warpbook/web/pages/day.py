"""The page of one day, to read and to write."""

from datetime import date

from nicegui import ui

from warpbook.journal.days import dates, days
from warpbook.journal.journal import Journal
from warpbook.web import show
from warpbook.web.journal import adding
from warpbook.web.journal import day as part
from warpbook.web.journal.overview import tracks_of
from warpbook.web.markup import Markup
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit


@page("/journal/{date}", "Day")
async def day(visit: Visit) -> None:
    read = visit.desk.read
    on = await read(day_of, visit.params["date"])

    async def left(query: Query) -> Markup:
        return await read(part.left, on)

    async def right(query: Query) -> Markup:
        return await read(part.right, on)

    async def happened(query: Query) -> Markup:
        return await read(part.happened, on)

    async def top(query: Query) -> Markup:
        return await read(part.top, on)

    visit.title(str(on))
    await visit.panel(top, on="texts")
    with ui.element("div").classes("split"):
        with ui.element("div"):
            await visit.panel(left, on="texts")
            visit.fixed(show.section("Add to it", await read(form, on), id_="add"))
            await visit.panel(happened, on="texts")
        with ui.element("div"):
            await visit.panel(right, on="texts")
    visit.fixed(adding.editor(on))


def day_of(journal: Journal, written: str) -> date:
    """The date of the address; one that is none, or has not come, is told in words."""
    on = dates.parse(written, journal.today())
    days.refuse_ahead(journal, on)
    return on


def form(journal: Journal, on: date) -> Markup:
    return adding.adding(str(on), tracks_of(journal))
