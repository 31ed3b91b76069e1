"""Things to read: the list, what to read next, and what people do with them."""

from collections.abc import Callable, Coroutine
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field, StringConstraints

from warpbook.core.errors import BadInput
from warpbook.journal import citing
from warpbook.journal.cards import deck
from warpbook.journal.journal import Journal
from warpbook.journal.reading import feeds, moving, shelf, shelf_list
from warpbook.journal.reading.reading import KINDS, STATES, TRACKED_STATES, Item, document
from warpbook.journal.reading.shelf_list import Filter
from warpbook.web.api import reading_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.cards import OfTopic, TopicName
from warpbook.web.api.errors import described
from warpbook.web.api.fields import Body, Limit, Offset, Search, line, text
from warpbook.web.api.paging import paged
from warpbook.web.api.shapes import Page

Route = TypeVar("Route", bound=Callable[..., Coroutine[Any, Any, Response]])
router = APIRouter(tags=["reading"], responses=described())
CHANGES = described(409, 413, 415)
Kind = StrEnum("Kind", {name.upper(): name for name in KINDS})  # type: ignore[misc]
State = StrEnum("State", {name.upper(): name for name in STATES + TRACKED_STATES})  # type: ignore[misc]
ItemId = Annotated[str, Path(pattern="^[a-z0-9]{4,16}$", description="Of the item.")]
Tier = Annotated[int, Field(ge=1, le=5, strict=True)]
OfTier = Annotated[int | None, Query(ge=1, le=5, description="From 1, the best, to 5.")]
Day = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
UpTo = Annotated[str, line(500)]
Prose = Annotated[str, text(200_000, 1)]
Text = Annotated[str, text(20_000, 1)]
Title = Annotated[str, line(1000)]
Address = Annotated[str, line(4096)]


class NewItem(Body):
    """A title or an address; the kind is told by the address where it is not given, and the topic
    is general."""

    title: Title = ""
    address: Address = ""
    topic: TopicName | None = None
    kind: Kind | None = None
    tier: Tier | None = None
    state: State | None = None
    notes: Annotated[str, text(200_000)] = ""


class Started(Body):
    """`on` is the day it happened, today by default."""

    on: Day | None = None
    up_to: UpTo | None = None


class Revisit(Body):
    """`on` is the day it is due again, in a week by default."""

    on: Day | None = None


class Note(Body):
    text: Prose


class Question(Body):
    """With an answer it is a card; an open question is answered by asking it again."""

    text: Text
    answer: Annotated[str, text(20_000)] = ""


class Far(Body):
    """Empty where it is no longer read up to anywhere."""

    up_to: UpTo = ""


class Keep(Body):
    """The topic of its feed by default."""

    topic: TopicName | None = None


class Move(Body):
    topic: TopicName


class Facts(Body):
    """What is not given stays."""

    title: Annotated[str, line(1000, 1)] | None = None
    address: Address | None = None
    kind: Kind | None = None
    tier: Tier | None = None
    state: State | None = None


@router.get("/reading", response_model=Page[shapes.Item], operation_id="reading")
async def listed(
    ask: TheJournal,
    topic: OfTopic = None,
    state: State | None = None,
    kind: Kind | None = None,
    tier: OfTier = None,
    search: Search = None,
    questions: Annotated[bool, Query(description="Those with open questions.")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """What is being read first; all but what was dropped and the inbox where no state is given"""
    states = (str(state),) if state else ()
    asked = Filter(topic or "", states, str(kind or ""), tier, search or "", questions)

    def found(journal: Journal) -> Any:
        rows = shelf_list.listed(journal, asked, limit + 1, offset)
        return paged([document(row) for row in rows], limit, offset)

    return await ask(found)


@router.get("/reading/next", response_model=list[shapes.NextItem], operation_id="next_reading")
async def next_items(ask: TheJournal, topic: OfTopic = None, limit: Limit = 5) -> Response:
    """What to read now and why: what was begun, what is due again, then by tier and age"""

    def found(journal: Journal) -> Any:
        rows = shelf_list.next_items(journal, topic or "", limit)
        return [document(row.item) | {"why": row.why} for row in rows]

    return await ask(found)


@router.get("/reading/{id}", response_model=shapes.ItemView, operation_id="reading_item")
async def one(ask: TheJournal, id: ItemId) -> Response:
    """One item: notes, open questions, the cards in it, the days that cite it"""
    return await ask(lambda journal: view(journal, shelf.by_id(journal, id)))


def view(journal: Journal, item: Item) -> dict[str, Any]:
    return document(item, shelf_list.questions(journal, item)) | {
        "cards": [deck.document(held) for held in citing.cards(journal, item)],
        "days": citing.days(journal, item),
    }


@router.post(
    "/reading", response_model=shapes.ItemView, status_code=201, operation_id="add_reading",
    responses=CHANGES,
)  # fmt: skip
async def add(ask: TheJournal, given: NewItem) -> Response:
    """Put something on the list; what is there already is told with its address"""
    new = shelf.New(
        given.title,
        given.address,
        given.topic or "",
        str(given.kind or ""),
        given.tier,
        given.notes,
        str(given.state or ""),
    )
    return await ask(lambda journal: view(journal, shelf.add(journal, new)), status=201)


def change(path: str, name: str) -> Callable[[Route], Route]:
    """A route that changes one item."""
    return router.post(
        f"/reading/{{id}}/{path}", response_model=shapes.ItemView, operation_id=name,
        responses=CHANGES,
    )  # fmt: skip


def day(written: str | None) -> date | None:
    if written is None:
        return None
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise BadInput(f"{written!r} is no date; write it as 2026-01-04") from None


@change("start", "start_reading")
async def start(ask: TheJournal, id: ItemId, given: Started | None = None) -> Response:
    """Begin to read it"""
    said = given or Started()
    return await ask(became, id, "reading", said.on, said.up_to)


@change("done", "finish_reading")
async def done(ask: TheJournal, id: ItemId, given: Started | None = None) -> Response:
    """It was read"""
    said = given or Started()
    return await ask(became, id, "done", said.on, said.up_to)


@change("revisit", "revisit_reading")
async def revisit(ask: TheJournal, id: ItemId, given: Revisit | None = None) -> Response:
    """Read it again some day"""
    return await ask(became, id, "revisit", given.on if given else None, None)


@change("drop", "drop_reading")
async def drop(ask: TheJournal, id: ItemId) -> Response:
    """Drop it: it stays in its file, and out of the lists"""
    return await ask(became, id, "dropped", None, None)


def became(journal: Journal, id: str, state: str, on: str | None, up_to: str | None) -> Any:
    return view(journal, shelf.set_state(journal, id, state, day(on), up_to))


@change("note", "note_reading")
async def note(ask: TheJournal, id: ItemId, given: Note) -> Response:
    """Add a note under today's date"""
    return await ask(lambda journal: view(journal, shelf.note(journal, id, given.text)))


@change("question", "ask_reading")
async def question(ask: TheJournal, id: ItemId, given: Question) -> Response:
    """Write down an open question, or a question with its answer, which is a card"""

    def made(journal: Journal) -> Any:
        return view(journal, shelf.question(journal, id, given.text, given.answer))

    return await ask(made)


@change("up_to", "read_up_to")
async def up_to(ask: TheJournal, id: ItemId, given: Far) -> Response:
    """How far it was read"""
    return await ask(lambda journal: view(journal, shelf.set_up_to(journal, id, given.up_to)))


@change("keep", "keep_reading")
async def keep(ask: TheJournal, id: ItemId, given: Keep | None = None) -> Response:
    """Out of the inbox, into a topic"""

    def made(journal: Journal) -> Any:
        item = shelf.get(journal, id)
        topic = (given.topic if given else None) or feeds.home(journal, item)
        return view(journal, moving.keep(journal, id, topic))

    return await ask(made)


@change("move", "move_reading")
async def move(ask: TheJournal, id: ItemId, given: Move) -> Response:
    """Into another topic's file, notes and all"""
    return await ask(lambda journal: view(journal, moving.move(journal, id, given.topic)))


@change("set", "set_reading")
async def set_facts(ask: TheJournal, id: ItemId, given: Facts) -> Response:
    """Another title, address, kind, tier or state"""

    def made(journal: Journal) -> Any:
        kind, state = (None if one is None else str(one) for one in (given.kind, given.state))
        found = shelf.set_facts(journal, id, given.title, given.address, kind, given.tier, state)
        return view(journal, found)

    return await ask(made)
