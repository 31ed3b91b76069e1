"""Experiments: their list, one in full, and what people do with them."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from sqlalchemy import select

from warpbook.book import documents
from warpbook.book.adding import KINDS
from warpbook.book.book import Book
from warpbook.book.browse.selection import GROUPS, SORTS, Wanted, page_of_ids
from warpbook.book.experiments import STATES
from warpbook.book.tables import Experiment
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.web.api import shapes
from warpbook.web.api.asking import Asking, Reading, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import (
    MOST,
    ON_A_LINE,
    Body,
    Device,
    ExperimentName,
    Limit,
    OfCampaign,
    Offset,
    Priority,
    Runs,
    Search,
)
from warpbook.web.api.hypotheses import More
from warpbook.web.api.paging import paged

router = APIRouter(tags=["experiments"], responses=described())
CHANGES = described(409, 413, 415)
Among = StrEnum("Among", [(one, one) for one in (*STATES, *GROUPS)])  # type: ignore[misc]
Kind = StrEnum("Kind", [(kind, kind) for kind in KINDS])  # type: ignore[misc]
Sort = Annotated[
    str,
    Query(
        pattern=f"^-?({'|'.join(SORTS)})$", description="With a dash before it, the largest first."
    ),
]
Exactly = Annotated[str | None, Query(max_length=200, pattern=ON_A_LINE)]


class NewPriority(Body):
    """Ahead of those with a lower one; 0 is where all begin."""

    priority: Priority


class Noise(Body):
    runs: Runs = 8


@router.get(
    "/experiments", response_model=shapes.Page[shapes.Experiment], operation_id="experiments"
)
async def experiments(
    ask: Reading,
    campaign: OfCampaign = None,
    state: Among | None = None,
    author: Exactly = None,
    tag: Exactly = None,
    device: Device | None = None,
    kind: Kind | None = None,
    search: Search = None,
    sort: Sort = "-id",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Past, current and future ones; `search` looks in titles, arms, claims and reasons"""
    wanted = Wanted(
        state=str(state or ""),
        campaign=campaign or "",
        author=author or "",
        tag=tag or "",
        device=device or "",
        kind=str(kind or ""),
        search=search or "",
        sort=sort,
    )
    return await ask(experiments_document, wanted, limit, offset)


def experiments_document(book: Book, wanted: Wanted, limit: int, offset: int) -> dict[str, Any]:
    with book.reading() as session:
        ids = page_of_ids(session, wanted, limit + 1, offset)
        found = session.scalars(select(Experiment).where(Experiment.id.in_(ids)))
        rows = {row.id: documents.experiment(row) for row in found}
        return paged([rows[number] for number in ids], limit, offset)


@router.get("/experiments/{name}", response_model=shapes.ExperimentView, operation_id="experiment")
async def experiment(ask: Reading, name: ExperimentName) -> Response:
    """One experiment: its arms, predictions and newest runs"""
    return await ask(experiment_document, name)


def experiment_document(book: Book, name: str) -> dict[str, Any]:
    found = book.experiments.get(name)
    main = decode(Metric, found.plan["metrics"][0])
    predictions = [
        documents.prediction(one, decode(Metric, book.hypotheses.get(one.hypothesis_id).metric))
        for one in book.experiments.predictions(name)
    ]
    runs = book.runs.list(experiment=name, limit=MOST)
    return documents.experiment(found) | {
        "predictions": predictions,
        "runs": [documents.run(one, main) for one in runs],
    }


async def changed(ask: Asking, change: Callable[[Book], Any]) -> Response:
    """`change` returns the experiment, which is read again: others may have changed it too."""

    def made(book: Book) -> Any:
        return documents.experiment(book.experiments.get(change(book).id))

    return await ask(made)


@router.post(
    "/experiments/{name}/queue", response_model=shapes.Experiment,
    operation_id="queue_experiment", responses=CHANGES,
)  # fmt: skip
async def queue(ask: Writing, name: ExperimentName) -> Response:
    """Queue one that is not, or no longer, in the queue; its predictions are locked"""
    return await changed(ask, lambda book: book.experiments.queue(name))


@router.post(
    "/experiments/{name}/cancel", response_model=shapes.Experiment,
    operation_id="cancel_experiment", responses=CHANGES,
)  # fmt: skip
async def cancel(ask: Writing, name: ExperimentName) -> Response:
    """Take it out of the queue; what has run stays"""
    return await changed(ask, lambda book: book.experiments.cancel(name))


@router.post(
    "/experiments/{name}/pin", response_model=shapes.Experiment, operation_id="pin",
    responses=CHANGES,
)  # fmt: skip
async def pin(ask: Writing, name: ExperimentName) -> Response:
    """Put it ahead of all that is not pinned"""
    return await changed(ask, lambda book: book.experiments.pin(name))


@router.post(
    "/experiments/{name}/unpin", response_model=shapes.Experiment, operation_id="unpin",
    responses=CHANGES,
)  # fmt: skip
async def unpin(ask: Writing, name: ExperimentName) -> Response:
    """Let it wait its turn again"""
    return await changed(ask, lambda book: book.experiments.unpin(name))


@router.post(
    "/experiments/{name}/priority", response_model=shapes.Experiment,
    operation_id="set_priority", responses=CHANGES,
)  # fmt: skip
async def priority(ask: Writing, name: ExperimentName, given: NewPriority) -> Response:
    """Put it ahead of those with a lower priority"""
    return await changed(ask, lambda book: book.experiments.prioritise(name, given.priority))


@router.post(
    "/experiments/{name}/rerun", response_model=shapes.Experiment, operation_id="rerun",
    responses=CHANGES,
)  # fmt: skip
async def rerun(ask: Writing, name: ExperimentName) -> Response:
    """Run it once more, however it ended; with edited files, as a new one"""
    return await changed(ask, lambda book: book.experiments.rerun(name))


@router.post(
    "/experiments/{name}/more", response_model=shapes.Experiment,
    operation_id="more_of_experiment", responses=CHANGES,
)  # fmt: skip
async def more(ask: Writing, name: ExperimentName, given: More | None = None) -> Response:
    """Queue more runs of it"""
    runs = given.runs if given else None
    return await changed(ask, lambda book: book.experiments.more(name, runs))


@router.post(
    "/experiments/{name}/noise", response_model=shapes.Experiment, operation_id="measure_noise",
    responses=CHANGES,
)  # fmt: skip
async def noise(ask: Writing, name: ExperimentName, given: Noise | None = None) -> Response:
    """Queue runs of its baseline against itself: how much this machine strays"""
    runs = (given or Noise()).runs
    return await changed(ask, lambda book: book.experiments.noise(name, runs))
