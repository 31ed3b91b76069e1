"""The log as a stream of server-sent events, from any line on, without gaps or doubles.

An event's id is its number in the log. Numbers are given under the book's write lock, so that a
reader who has seen one has all before it. Pages are read as the client takes them.
"""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.core.codec import encode
from warpbook.core.errors import BadInput
from warpbook.web.api.asking import TheDesk
from warpbook.web.api.errors import described
from warpbook.web.api.fields import LAST_EVENT
from warpbook.web.desk import Desk

router = APIRouter(tags=["log"], responses=described())
PAGE = 500
HEARTBEAT_S = 15.0
RETRY_MS = 1000
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `id` is the event's number, `data` its document.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/events", response_class=StreamingResponse, responses=STREAM, operation_id="events")
async def events(
    desk: TheDesk,
    after: Annotated[
        int | None, Query(ge=0, le=LAST_EVENT, description="Go on after this event.")
    ] = None,
    last_event_id: Annotated[
        str | None, Header(pattern=r"^[0-9]{1,15}$", description="As `after`, and before it.")
    ] = None,
) -> StreamingResponse:
    """Events as they happen: by default from now on, or from after one that was seen"""
    last = await desk.ask(lambda book: book.log.last())
    seen = int(last_event_id) if last_event_id is not None else after
    if seen is not None and seen > last:
        raise BadInput(f"there is no event {seen} yet: the log ends at {last}")
    first = last if seen is None else seen
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(lines(desk, first), 200, headers, "text/event-stream")


async def lines(desk: Desk, last: int) -> AsyncIterator[bytes]:
    yield f"retry: {RETRY_MS}\n\n".encode()
    while not desk.feed.closed:
        page, last, full = await desk.ask(read_page, last)
        if page:
            yield page
        if not full and not await desk.feed.wait(last, HEARTBEAT_S) and not desk.feed.closed:
            yield b": still here\n\n"


def read_page(book: Book, after: int) -> tuple[bytes, int, bool]:
    """Events past one as they are sent, the number of the last, and whether there may be more."""
    found = book.log.list(after, PAGE)
    sent = [
        f"id: {event.id}\ndata: {json.dumps(encode(documents.event(event)))}\n\n" for event in found
    ]
    return "".join(sent).encode(), found[-1].id if found else after, len(found) == PAGE
