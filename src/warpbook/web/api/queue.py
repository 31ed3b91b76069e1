"""The queue: what runs next and why; pausing it, and holding an author."""

from typing import Any

from fastapi import APIRouter, Response

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.web.api import shapes
from warpbook.web.api.asking import Asking, Reading, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import AuthorPath, Limit

router = APIRouter(tags=["queue"], responses=described())
CHANGES = described(413, 415)
SHOWN = 20


def queue_document(book: Book, limit: int) -> dict[str, Any]:
    return {
        "paused": book.queue.paused(),
        "held": book.queue.held(),
        "currency": book.settings.currency,
        "places": [documents.place(one) for one in book.queue.order(limit)],
    }


@router.get("/queue", response_model=shapes.Queue, operation_id="queue")
async def queue(ask: Reading, limit: Limit = 50) -> Response:
    """What runs next, each with its reason"""
    return await ask(queue_document, limit)


async def changed(ask: Asking, verb: str) -> Response:
    def made(book: Book) -> Any:
        getattr(book.queue, verb)()
        return queue_document(book, SHOWN)

    return await ask(made)


@router.post("/queue/pause", response_model=shapes.Queue, operation_id="pause", responses=CHANGES)
async def pause(ask: Writing) -> Response:
    """Let nothing start; what runs goes on"""
    return await changed(ask, "pause")


@router.post("/queue/resume", response_model=shapes.Queue, operation_id="resume", responses=CHANGES)
async def resume(ask: Writing) -> Response:
    """Let it go on"""
    return await changed(ask, "resume")


async def held(ask: Asking, name: str, verb: str) -> Response:
    def made(book: Book) -> Any:
        getattr(book.queue, verb)(name)
        return {"name": name, "held": name in book.queue.held()}

    return await ask(made)


@router.post(
    "/authors/{name}/hold", response_model=shapes.Author, operation_id="hold", responses=CHANGES
)
async def hold(ask: Writing, name: AuthorPath) -> Response:
    """Let nothing of an author's start"""
    return await held(ask, name, "hold")


@router.post(
    "/authors/{name}/unhold", response_model=shapes.Author, operation_id="unhold",
    responses=CHANGES,
)  # fmt: skip
async def unhold(ask: Writing, name: AuthorPath) -> Response:
    """Let an author's go on"""
    return await held(ask, name, "unhold")
