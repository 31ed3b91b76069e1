"""Quiz: what is about to be forgotten by topic, cards that wait for approval, and courses."""

from warpbook.journal.cards import deck
from warpbook.web import forms
from warpbook.web.markup import Markup
from warpbook.web.quiz import overview
from warpbook.web.shell import page
from warpbook.web.visit import Query, Visit, heading


@page("/quiz", "Quiz")
async def quiz(visit: Visit) -> None:
    async def render(_: Query) -> Markup:
        return overview.overview(await visit.desk.read(overview.look))

    known = await visit.desk.read(deck.topics)
    visit.fixed(heading("Quiz", forms.opens("+ Card", "new-card")))
    await visit.panel(render, on="texts")
    visit.fixed(overview.new_card([one.name for one in known]))
