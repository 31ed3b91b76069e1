"""The running log: its lines, notes, and what changed since one of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.book.browse.changes import changes as changes_since
from warpbook.web.api import shapes
from warpbook.web.api.asking import Reading, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import LAST_EVENT, ON_A_LINE, After, Body, Id, Limit, text

router = APIRouter(tags=["log"], responses=described())
Kind = Annotated[
    str | None, Query(max_length=50, pattern=ON_A_LINE, description="verdict, run, run.valid, note")
]
Subject = Annotated[
    str | None, Query(max_length=200, pattern=ON_A_LINE, description="H-3, E-7, R-5, F-2 alone.")
]


class Note(Body):
    text: Annotated[str, text(20_000, 1)]
    subject: Id | None = None


@router.get("/log", response_model=list[shapes.Event], operation_id="log")
async def log(
    ask: Reading,
    after: Annotated[int | None, Query(ge=0, le=LAST_EVENT)] = None,
    limit: Limit = 100,
    kind: Kind = None,
    subject: Subject = None,
) -> Response:
    """Lines after one, oldest first; without `after` the last ones"""

    def found(book: Book) -> Any:
        if after is None:
            events = book.log.latest(limit, kind, subject)
        else:
            events = book.log.list(after, limit, kind, subject)
        return [documents.event(event) for event in events]

    return await ask(found)


@router.get("/changes", response_model=shapes.Changes, operation_id="changes")
async def changes(ask: Reading, after: After) -> Response:
    """What changed since an event, summed up"""
    return await ask(changes_since, after)


@router.post(
    "/notes", response_model=shapes.Event, status_code=201, operation_id="add_note",
    responses=described(413, 415),
)  # fmt: skip
async def note(ask: Writing, given: Note) -> Response:
    """Write a line into the running log"""

    def made(book: Book) -> Any:
        return documents.event(book.log.note(given.text, given.subject or ""))

    return await ask(made, status=201)
