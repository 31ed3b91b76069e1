"""All experiments, past, current and future, in one table."""

from warpbook.book.browse import experiments as browse
from warpbook.web import forms, trying
from warpbook.web.experiments.listing import listing, wanted
from warpbook.web.markup import Markup
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading


@page("/experiments", "Experiments")
async def experiments(visit: Visit) -> None:
    desk = visit.desk
    known = await desk.ask(forms.choices)
    visit.fixed(heading("Experiments", forms.opens("+ Experiment", trying.ID, "main")))

    async def render(query: Query) -> Markup:
        asked = wanted(query)
        found = await desk.view(browse.listing, asked)
        return listing(found, asked, await desk.view(browse.choices), query)

    await visit.panel(render)
    visit.fixed(trying.trying(known))
