"""The book as a whole: what it is, what it does now, its graph, its record, its devices; and links
that let a browser in."""

import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlalchemy import func, select

import warpbook
from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.book.browse.neighbourhood import Ask, view
from warpbook.book.tables import Campaign
from warpbook.book.telemetry import devices, series
from warpbook.core.errors import NotFound
from warpbook.web.api import shapes
from warpbook.web.api.asking import Reading
from warpbook.web.api.errors import described
from warpbook.web.api.fields import FAR, ON_A_LINE, Limit, MeasurementName, OfCampaign, Offset
from warpbook.web.api.paging import paged
from warpbook.web.api.queue import queue_document

router = APIRouter(tags=["book"], responses=described())
MOST_SAMPLES = 10_000
RECENT_S = 60.0
MONTH_S = 31 * 24 * 3600


@router.get("/book", response_model=shapes.TheBook, operation_id="book")
async def the_book(ask: Reading) -> Response:
    """Which book this is"""
    return await ask(book_document)


@router.get("/now", response_model=shapes.Now, operation_id="now")
async def now(ask: Reading) -> Response:
    """What runs, what waits, what the devices do"""
    return await ask(now_document)


@router.get("/graph", response_model=shapes.Graph, operation_id="graph")
async def the_graph(
    ask: Reading,
    campaign: OfCampaign = None,
    node: Annotated[
        str | None, Query(max_length=500, pattern=ON_A_LINE, description="Two steps around it.")
    ] = None,
    open_: Annotated[
        str | None,
        Query(alias="open", max_length=500, pattern=ON_A_LINE, description="The id of a group."),
    ] = None,
    page: Annotated[int, Query(ge=1, le=FAR, description="Of the group that is open.")] = 1,
) -> Response:
    """A campaign, by default the one active last, or what is around a node: at most 300 nodes, the
    rest folded into groups"""
    return await ask(graph_document, Ask(campaign or "", node or "", open_ or "", page))


@router.get("/calibration", response_model=list[shapes.Record], operation_id="calibration")
async def calibration(ask: Reading) -> Response:
    """How each author's predictions came out"""
    return await ask(lambda book: book.calibration.by_author())


@router.get(
    "/measurements",
    response_model=shapes.Page[shapes.Measurement],
    operation_id="measurements",
)
async def measurements(
    ask: Reading,
    problem: Annotated[str | None, Query(max_length=200, pattern=ON_A_LINE)] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Judgements made by hand, the newest first"""

    def found(book: Book) -> Any:
        rows = book.measurements.list(problem, limit + 1, offset)
        return paged([documents.measurement(row) for row in rows], limit, offset)

    return await ask(found)


@router.get("/measurements/{name}", response_model=shapes.Measurement, operation_id="measurement")
async def measurement(ask: Reading, name: MeasurementName) -> Response:
    """One judgement made by hand"""
    return await ask(lambda book: documents.measurement(book.measurements.get(name)))


@router.get("/telemetry", response_model=dict[str, list[shapes.Sample]], operation_id="telemetry")
async def telemetry(
    ask: Reading,
    device: Annotated[str | None, Query(max_length=200, pattern=ON_A_LINE)] = None,
    seconds: Annotated[float, Query(gt=0, le=MONTH_S, description="How far back.")] = 600.0,
) -> Response:
    """What the devices did: samples of each, oldest first"""
    return await ask(telemetry_document, device, seconds)


@router.post(
    "/links", response_model=shapes.OneTimeLink, status_code=201, operation_id="make_link",
    responses=described(413, 415),
)  # fmt: skip
async def links(request: Request) -> dict[str, str]:
    """A fresh link that lets a browser in, once, within 15 minutes"""
    code = request.app.state.keys.make_code()
    return {"link": f"http://{request.headers['host']}/enter?code={code}"}


def book_document(book: Book) -> dict[str, Any]:
    return {
        "folder": str(book.folder),
        "author": book.author,
        "currency": book.settings.currency,
        "version": warpbook.__version__,
        "last_event": book.log.last(),
    }


def graph_document(book: Book, ask: Ask) -> dict[str, Any]:
    found = view(book, ask)
    return {
        "centre": found.centre.id,
        "campaign": found.campaign,
        "nodes": found.nodes,
        "edges": [{"from": one.start, "type": one.type, "to": one.end} for one in found.edges],
        "opened": found.opened,
        "left_out": found.left_out,
    }


def now_document(book: Book) -> dict[str, Any]:
    at = time.time()
    runs = book.runs.list(state="running", limit=100)
    metrics = book.runs.main_metrics(runs)
    samples = {name: series(book, name, at - RECENT_S, at) for name in devices(book)}
    with book.reading() as session:
        spent = session.execute(
            select(func.sum(Campaign.spent_s), func.sum(Campaign.spent_money))
        ).one()
    return queue_document(book, 20) | {
        "running": [documents.run(run, metrics[run.experiment_id]) for run in runs],
        "devices": {name: documents.columns(found[-1]) for name, found in samples.items() if found},
        "spent_s": spent[0] or 0.0,
        "spent_money": spent[1] or 0.0,
        "last_event": book.log.last(),
    }


def telemetry_document(book: Book, device: str | None, seconds: float) -> dict[str, Any]:
    known = devices(book)
    if device is not None and device not in known:
        raise NotFound(
            f"no samples of a device {device!r}; there are: {', '.join(known) or 'none'}"
        )
    end = time.time()
    return {
        name: [
            documents.columns(one) for one in series(book, name, end - seconds, end, MOST_SAMPLES)
        ]
        for name in (known if device is None else [device])
    }
