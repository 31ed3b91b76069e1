"""Runs: single executions, their receipts, logs and files."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.book.browse.run_files import read_piece, run_files
from warpbook.book.run_folder import LOG
from warpbook.book.runs import STATES
from warpbook.core.codec import encode
from warpbook.core.errors import BadInput
from warpbook.web.api import shapes
from warpbook.web.api.asking import Reading, TheDesk, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import Limit, Offset, RunName
from warpbook.web.api.paging import paged

router = APIRouter(tags=["runs"], responses=described())
State = StrEnum("State", [(state, state) for state in STATES])  # type: ignore[misc]
LOG_BYTES = 64 << 10
MOST_BYTES = 8 << 20
OfExperiment = Annotated[
    str | None, Query(pattern=r"^[Ee]-?[0-9]{1,15}$", max_length=17, description="E-31")
]
Tail = Annotated[
    int | None, Query(ge=1, le=MOST_BYTES, description="The last so many bytes, whatever `start`.")
]
Start = Annotated[int, Query(ge=0, le=10**15, description="The first byte.")]
Most = Annotated[int, Query(ge=1, le=MOST_BYTES, description="How many bytes at most.")]
FileName = Annotated[str, Path(pattern=r"^[^/\\\x00-\x1f\x7f]{1,255}$")]
PLAIN: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, or the piece of it that Warpbook-Bytes tells: start-end/total.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@router.get("/runs", response_model=shapes.Page[shapes.Run], operation_id="runs")
async def runs(
    ask: Reading,
    experiment: OfExperiment = None,
    state: State | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """The newest first"""

    def found(book: Book) -> Any:
        wanted = None if state is None else str(state)
        rows = book.runs.list(experiment, wanted, limit + 1, offset)
        metrics = book.runs.main_metrics(rows)
        shown = [documents.run(row, metrics[row.experiment_id]) for row in rows]
        return paged(shown, limit, offset)

    return await ask(found)


@router.get("/runs/{name}", response_model=shapes.RunView, operation_id="run")
async def run(ask: Reading, name: RunName) -> Response:
    """One run: its effect, its samples, where it was made"""
    return await ask(run_document, name)


def run_document(book: Book, name: str) -> dict[str, Any]:
    found = book.runs.get(name)
    metric = book.runs.main_metrics([found])[found.experiment_id]
    return documents.run(found, metric) | {
        "currency": book.settings.currency,
        "folder": str(book.runs.folder(name)),
        "receipt": receipt_of(book, name),
    }


def receipt_of(book: Book, name: str) -> Any:
    try:
        return encode(book.runs.receipt(name))
    except BadInput:
        return None


@router.get("/runs/{name}/receipt", response_model=dict[str, Any], operation_id="receipt")
async def receipt(ask: Reading, name: RunName) -> Response:
    """What it takes to repeat a run, and what came out"""
    return await ask(lambda book: encode(book.runs.receipt(name)))


@router.get("/runs/{name}/log", response_model=shapes.LogPiece, operation_id="run_log")
async def log(ask: Reading, name: RunName, tail: Tail = LOG_BYTES) -> Response:
    """The end of what a run printed"""

    def found(book: Book) -> Any:
        piece = read_piece(book, name, LOG, 0, tail or LOG_BYTES, tail=True)
        return {
            "name": piece.name,
            "start": piece.start,
            "total_bytes": piece.total_bytes,
            "text": piece.content.decode(errors="replace"),
        }

    return await ask(found)


@router.get("/runs/{name}/files", response_model=list[shapes.RunFile], operation_id="run_files")
async def files(ask: Reading, name: RunName) -> Response:
    """What a run left in its folder"""
    return await ask(run_files, name)


@router.get(
    "/runs/{name}/files/{file}", response_class=Response, responses=PLAIN, operation_id="run_file"
)
async def file(
    desk: TheDesk,
    name: RunName,
    file: FileName,
    start: Start = 0,
    most: Most = MOST_BYTES,
    tail: Tail = None,
) -> Response:
    """One file of a run's folder, as plain text"""
    return await plain(desk, name, file, start, most, tail)


@router.get(
    "/runs/{name}/files/sources/{file}", response_class=Response, responses=PLAIN,
    operation_id="run_source",
)  # fmt: skip
async def source(
    desk: TheDesk,
    name: RunName,
    file: FileName,
    start: Start = 0,
    most: Most = MOST_BYTES,
    tail: Tail = None,
) -> Response:
    """One of the sources that a run kept, as plain text"""
    return await plain(desk, name, f"sources/{file}", start, most, tail)


async def plain(
    desk: TheDesk, name: str, file: str, start: int, most: int, tail: int | None
) -> Response:
    """Never shown as anything but text, whatever is in it."""
    piece = await desk.ask(read_piece, name, file, start, tail or most, tail is not None)
    end = piece.start + len(piece.content)
    headers = {
        "content-disposition": "attachment",
        "x-content-type-options": "nosniff",
        "warpbook-bytes": f"{piece.start}-{end}/{piece.total_bytes}",
    }
    return Response(piece.content, 200, headers, "text/plain; charset=utf-8")


@router.post(
    "/runs/{name}/stop", response_model=shapes.Run, operation_id="stop_run",
    responses=described(409, 413, 415),
)  # fmt: skip
async def stop(ask: Writing, name: RunName) -> Response:
    """Ask a run to stop; its worker ends it within seconds"""

    def made(book: Book) -> Any:
        book.runs.ask_stop(name)
        found = book.runs.get(name)
        return documents.run(found, book.runs.main_metrics([found])[found.experiment_id])

    return await ask(made)
