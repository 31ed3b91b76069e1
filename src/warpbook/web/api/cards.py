"""Cards: the deck, a review that counts once, flags and suspensions."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from warpbook.journal.cards import deck, recall, schedule, sitting
from warpbook.journal.cards.deck import Held
from warpbook.journal.journal import Journal
from warpbook.web.api import card_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.errors import described
from warpbook.web.api.fields import ON_A_LINE, Body, Limit, Offset, Search, line, text
from warpbook.web.api.paging import paged
from warpbook.web.api.shapes import Page

router = APIRouter(tags=["cards"], responses=described())
CHANGES = described(409, 413, 415)
CardId = Annotated[
    str,
    Path(
        pattern=r"^[a-z0-9_]+(\.[a-z]?[0-9]{1,9}){0,2}$",
        max_length=100,
        description="Of the card, or the beginning of one that no other has.",
    ),
]
OfTopic = Annotated[
    str | None, Query(max_length=200, pattern=ON_A_LINE, description="Of one topic alone.")
]
Side = Annotated[str, text(20_000)]
TopicName = Annotated[str, line(200, 1)]


class State(StrEnum):
    DUE = "due"
    NEW = "new"
    LEARNING = "learning"
    REVIEW = "review"
    FLAGGED = "flagged"
    SUSPENDED = "suspended"


class NewCard(Body):
    """Without an answer the question is a text with clozes: `A {{c1::warp}} has 32 threads.` The
    topic is the journal's track where none is given."""

    question: Annotated[str, text(20_000, 1)]
    answer: Side = ""
    topic: TopicName | None = None


class Review(Body):
    """`reviews` is how many the card had when it was shown: a card that was reviewed meanwhile is
    not reviewed twice."""

    rating: Annotated[int, Field(ge=1, le=4, strict=True, description="again, hard, good, easy")]
    reviews: Annotated[int, Field(ge=0, le=10**9, strict=True)]
    seconds: Annotated[float, Field(ge=0, le=86400, strict=True)] = 0.0


@router.get("/cards", response_model=Page[shapes.Card], operation_id="cards")
async def cards(
    ask: TheJournal,
    topic: OfTopic = None,
    state: State | None = None,
    search: Search = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """By topic and place; `search` looks in questions and answers"""

    def found(journal: Journal) -> Any:
        wanted = state.value if state else None
        rows = deck.cards(journal, topic, wanted, search or "", limit + 1, offset)
        return paged([deck.document(row) for row in rows], limit, offset)

    return await ask(found)


@router.get("/cards/{id}", response_model=shapes.CardView, operation_id="card")
async def card(ask: TheJournal, id: CardId) -> Response:
    """One card: how well it is known, and when each rating would bring it again"""
    return await ask(lambda journal: view(journal, deck.get(journal, id)))


def view(journal: Journal, held: Held) -> dict[str, Any]:
    now = journal.now()
    dates = schedule.previewed(held.recall, now, journal.settings.retention)
    return deck.document(held) | {
        "preview": {str(rating): recall.text_of(due) for rating, due in dates.items()},
        "intervals": {str(rating): schedule.span(due - now) for rating, due in dates.items()},
    }


@router.post(
    "/cards", response_model=shapes.CardView, status_code=201, operation_id="add_card",
    responses=CHANGES,
)  # fmt: skip
async def add(ask: TheJournal, given: NewCard) -> Response:
    """Write a card into the file of its topic"""

    def made(journal: Journal) -> Any:
        topic = given.topic or journal.settings.track
        return view(journal, deck.add(journal, given.question, given.answer, topic))

    return await ask(made, status=201)


@router.post(
    "/cards/{id}/review", response_model=shapes.Reviewed, operation_id="review", responses=CHANGES
)
async def review(ask: TheJournal, id: CardId, given: Review) -> Response:
    """Say how well it was known: 1 again, 2 hard, 3 good, 4 easy"""

    def made(journal: Journal) -> Any:
        card = deck.get(journal, id).card.id
        done = sitting.review(journal, card, given.rating, given.reviews, given.seconds)
        due = done.after.due
        return view(journal, deck.get(journal, card)) | {
            "act": done.act.id,
            "rating": given.rating,
            "interval": schedule.span(due - done.act.at) if due else "",
        }

    return await ask(made)


@router.post("/cards/{id}/flag", response_model=shapes.Card, operation_id="flag", responses=CHANGES)
async def flag(ask: TheJournal, id: CardId) -> Response:
    """Mark it as one that wants mending; it is asked as before"""
    return await ask(flagged, id, True)


@router.post(
    "/cards/{id}/unflag", response_model=shapes.Card, operation_id="unflag", responses=CHANGES
)
async def unflag(ask: TheJournal, id: CardId) -> Response:
    """Take the mark off again"""
    return await ask(flagged, id, False)


@router.post(
    "/cards/{id}/suspend", response_model=shapes.Card, operation_id="suspend", responses=CHANGES
)
async def suspend(ask: TheJournal, id: CardId) -> Response:
    """Let it rest: it is asked no more"""
    return await ask(suspended, id, True)


@router.post(
    "/cards/{id}/unsuspend", response_model=shapes.Card, operation_id="unsuspend",
    responses=CHANGES,
)  # fmt: skip
async def unsuspend(ask: TheJournal, id: CardId) -> Response:
    """Ask it again"""
    return await ask(suspended, id, False)


def flagged(journal: Journal, name: str, on: bool) -> dict[str, Any]:
    held = deck.get(journal, name)
    if held.recall.flagged != on:
        recall.flag(journal, held.card.id, on)
    return deck.document(deck.get(journal, held.card.id))


def suspended(journal: Journal, name: str, on: bool) -> dict[str, Any]:
    held = deck.get(journal, name)
    if held.recall.suspended != on:
        recall.suspend(journal, held.card.id, on)
    return deck.document(deck.get(journal, held.card.id))
