"""Reading: the list by topic and state, what to read next, the inbox and the feeds."""

from warpbook.journal.reading import shelf_list
from warpbook.web.forms import opens
from warpbook.web.markup import Markup, h
from warpbook.web.reading import beside, forms, item, listing
from warpbook.web.shell import page
from warpbook.web.table import page_of
from warpbook.web.visit import Query, Visit, heading


@page("/reading", "Reading")
async def reading(visit: Visit) -> None:
    async def render(query: Query) -> Markup:
        asked = listing.wanted(query)
        found = await visit.desk.read(listing.look, asked, page_of(query))
        around = await visit.desk.read(beside.look)
        return h(
            '<div class="split"><div>{}</div><div>{}</div></div>{}',
            listing.listing(found, query),
            beside.beside(around),
            forms.topics(list(found.topics)),
        )

    visit.fixed(heading("Reading", opens("+ Something to read", "new-reading", "main")))
    await visit.panel(render, on="texts")
    visit.fixed(forms.new_item() + forms.new_feed())


@page("/reading/{id}", "Reading")
async def one(visit: Visit) -> None:
    id = visit.params["id"]

    async def render(_: Query) -> Markup:
        found = await visit.desk.read(item.look, id)
        return item.view(found) + forms.facts(found.item)

    known = await visit.desk.read(shelf_list.topics)
    await visit.panel(render, on="texts")
    visit.fixed(forms.topics(list(known)))
