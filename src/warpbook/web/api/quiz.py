"""The quiz: what is to be asked, what comes next, taking back; and cards that wait for approval."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import StringConstraints

from warpbook.journal.cards import deck, proposals, recall, sitting
from warpbook.journal.cards.sitting import Sitting
from warpbook.journal.journal import Journal
from warpbook.web.api import card_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.cards import CHANGES, OfTopic, TopicName, view
from warpbook.web.api.errors import described
from warpbook.web.api.fields import Body, Limit, Offset
from warpbook.web.api.paging import paged
from warpbook.web.api.shapes import Page

router = APIRouter(tags=["quiz"], responses=described())
ActId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$", max_length=64)]
ProposalId = Annotated[
    str, Path(pattern=r"^[a-z0-9_]+(\.[a-z]?[0-9]{1,9})?$", max_length=100, description="Its id.")
]


class Undo(Body):
    """`of` names the act; by default it is the last one that was not taken back."""

    of: ActId | None = None


class Approval(Body):
    """`topic` instead of the one that was proposed."""

    topic: TopicName | None = None


@router.get("/quiz", response_model=shapes.Quiz, operation_id="quiz")
async def quiz(ask: TheJournal) -> Response:
    """Topics with how many cards are due, new and being learnt; and how this sitting goes"""

    def found(journal: Journal) -> Any:
        sheet = sitting.sheet(journal)
        return {
            "topics": sheet.topics,
            "left": sheet.left,
            "learning": sheet.learning,
            "proposals": len(proposals.list_all(journal)),
            "sitting": document(sheet.sitting),
        }

    return await ask(found)


@router.get("/quiz/next", response_model=shapes.Next, operation_id="next_card")
async def next_card(
    ask: TheJournal,
    topic: OfTopic = None,
    more: Annotated[int, Query(ge=0, le=1000, description="New cards beyond those of a day.")] = 0,
) -> Response:
    """The card to ask now, with what each rating would bring"""

    def found(journal: Journal) -> Any:
        sheet = sitting.sheet(journal, topic, None, more)
        return {
            "card": view(journal, sheet.held) if sheet.held else None,
            "left": sheet.left,
            "learning": sheet.learning,
            "due": recall.text_of(sheet.due),
            "sitting": document(sheet.sitting),
        }

    return await ask(found)


def document(done: Sitting) -> dict[str, Any]:
    reviews = done.reviews
    return {
        "reviews": len(reviews),
        "cards": len({act.card for act in reviews}),
        "ratings": {str(rating): count for rating, count in sorted(done.ratings.items())},
        "seconds": sum(act.seconds for act in reviews),
        "missed": done.missed,
        "last": done.last.id if done.last else None,
    }


@router.post(
    "/quiz/undo", response_model=shapes.Undone, operation_id="undo_review", responses=CHANGES
)
async def undo(ask: TheJournal, given: Undo | None = None) -> Response:
    """Take back the last review, flag or suspension, or the one that is named"""

    def made(journal: Journal) -> Any:
        act = recall.undo(journal, given.of or "" if given else "")
        held = sitting.shown_cards(journal, [act.card]).get(act.card)
        document = deck.document(held) if held else None
        return {"act": act.act, "rating": act.rating, "card": document}

    return await ask(made)


@router.get("/proposals", response_model=Page[shapes.Proposal], operation_id="proposals")
async def waiting(
    ask: TheJournal,
    rejected: Annotated[bool, Query(description="Those that were rejected instead.")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Cards that wait for approval, in the order they were proposed"""

    def found(journal: Journal) -> Any:
        state = proposals.REJECTED if rejected else proposals.WAITING
        rows = proposals.list_all(journal, state)
        return paged(rows[offset : offset + limit + 1], limit, offset)

    return await ask(found)


@router.post(
    "/proposals/{id}/approve", response_model=shapes.Card, operation_id="approve",
    responses=CHANGES,
)  # fmt: skip
async def approve(ask: TheJournal, id: ProposalId, given: Approval | None = None) -> Response:
    """Take it into the deck"""

    def made(journal: Journal) -> Any:
        topic = (given.topic or "") if given else ""
        (card,) = proposals.approve(journal, [id], topic)
        return deck.document(deck.get(journal, card.id))

    return await ask(made)


@router.post(
    "/proposals/{id}/reject", response_model=shapes.Proposal, operation_id="reject",
    responses=CHANGES,
)  # fmt: skip
async def reject(ask: TheJournal, id: ProposalId) -> Response:
    """Turn it down; it is not proposed again"""

    def made(journal: Journal) -> Any:
        proposals.reject(journal, [id])
        (found,) = proposals.named(journal, [id], (proposals.REJECTED,))
        return found

    return await ask(made)
