"""Two or more experiments side by side."""

from warpbook.book.browse import sides
from warpbook.web.experiments.compared import compared
from warpbook.web.markup import Markup
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading


# Its address is also that of an experiment called "compare": the first one that fits is taken, and
# pages are known in the order of their files.
@page("/experiments/compare", "Compare")
async def compare(visit: Visit) -> None:
    desk = visit.desk
    visit.fixed(heading("Experiments side by side"))

    async def render(query: Query) -> Markup:
        names = tuple(part.strip() for part in query.get("of", "").split(",") if part.strip())
        return compared(await desk.view(sides.sides, names), desk.book.settings.currency)

    await visit.panel(render)
