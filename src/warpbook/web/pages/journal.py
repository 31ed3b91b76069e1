"""The journal: a year of days, streaks, the week and the month, plans, and a word on today."""

from nicegui import ui

from warpbook.journal.journal import Journal
from warpbook.web import show
from warpbook.web.journal import overview, plans, summaries
from warpbook.web.journal.adding import adding
from warpbook.web.markup import Markup, h
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading


@page("/journal", "Journal")
async def journal(visit: Visit) -> None:
    read = visit.desk.read

    async def year(query: Query) -> Markup:
        return await read(overview.whole_year, query)

    async def spans(query: Query) -> Markup:
        return await read(summaries.summaries, query)

    async def latest(query: Query) -> Markup:
        return await read(overview.latest, query)

    async def planned(query: Query) -> Markup:
        return await read(plans.open_plans)

    async def wrong(query: Query) -> Markup:
        return await read(overview.problems)

    visit.title("Journal")
    visit.fixed(heading("Journal", h('<a class="button" href="/journal/today">Today</a>')))
    await visit.panel(year, on="texts")
    with ui.element("div").classes("split"):
        with ui.element("div"):
            await visit.panel(spans, on="texts")
            await visit.panel(latest, on="texts")
        with ui.element("div"):
            visit.fixed(show.section("Add to today", await read(form), id_="add"))
            await visit.panel(planned, on="texts")
            await visit.panel(wrong, on="texts")


def form(journal: Journal) -> Markup:
    return adding("today", overview.tracks_of(journal))
