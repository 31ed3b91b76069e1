"""All cards of the deck, and one of them."""

from warpbook.web.markup import Markup, h
from warpbook.web.quiz import listing
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading


@page("/quiz/cards", "Cards")
async def all_cards(visit: Visit) -> None:
    async def render(query: Query) -> Markup:
        found = await visit.desk.read(listing.look, *listing.wanted(query))
        return listing.listing(found, query)

    await visit.panel(render, on="texts")


@page("/quiz/cards/{name}", "Card")
async def one_card(visit: Visit) -> None:
    name = visit.params["name"]

    async def render(_: Query) -> Markup:
        found = await visit.desk.read(listing.look_closely, name)
        return heading(f"Card {found.held.card.id}", BACK) + listing.closely(found)

    await visit.panel(render, on="texts")


BACK = h('<a href="/quiz/cards">all cards</a>')
