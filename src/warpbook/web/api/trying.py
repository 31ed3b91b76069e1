"""An attempt: a claim, a prediction and an experiment in one request."""

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.lab.attempt import attempt
from warpbook.lab.plans import BLOCKS, LIMIT_S
from warpbook.web.api import shapes
from warpbook.web.api.asking import Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import (
    BeliefNumber,
    Body,
    Claim,
    CommandText,
    Device,
    EffectText,
    Guards,
    Id,
    InCampaign,
    IntervalText,
    MetricText,
    PathText,
    Priority,
    Reason,
    Runs,
    Tags,
    Title,
    Workload,
    line,
)

router = APIRouter(tags=["experiments"])
WEEK_S = 7 * 24 * 3600
Variables = Annotated[
    list[Annotated[str, line(100, 1)]], Field(max_length=100, default_factory=list)
]


class Attempt(Body):
    """The words of `warpbook try`. Paths are from the book's folder, where commands run too."""

    expect: IntervalText
    change: PathText | None = None
    on: PathText | None = None
    against: PathText | None = None
    command: CommandText | None = None
    baseline: CommandText | None = None
    metric: MetricText | None = None
    guards: Guards
    because: Reason = ""
    claim: Claim | None = None
    at_least: EffectText | None = None
    worse: bool = False
    belief: BeliefNumber | None = None
    hypothesis: Id | None = None
    campaign: InCampaign | None = None
    tags: Tags
    workload: Workload | None = None
    device: Device | None = None
    runs: Runs = 3
    pinned: bool = False
    priority: Priority = 0
    title: Title = ""
    blocks: Annotated[int, Field(ge=4, le=1000, strict=True)] = BLOCKS
    limit_s: Annotated[float, Field(ge=1, le=WEEK_S)] = LIMIT_S
    variables: Variables


@router.post(
    "/try", response_model=shapes.Tried, status_code=201, operation_id="try",
    responses=described(409, 413, 415),
)  # fmt: skip
async def try_(ask: Writing, given: Attempt) -> Response:
    """Claim that a change is better, predict by how much, and queue it"""
    return await ask(tried, given, status=201)


def tried(book: Book, given: Attempt) -> dict[str, Any]:
    made = attempt(book, **given.model_dump(), folder=book.folder)
    predictions = book.experiments.predictions(made.experiment.id)
    return {
        "name": made.experiment.name,
        "hypothesis": documents.hypothesis(made.hypothesis),
        "experiment": documents.experiment(made.experiment),
        "predictions": [documents.prediction(one, made.metric) for one in predictions],
        "defaults": made.defaults,
        "misgivings": made.misgivings,
    }
