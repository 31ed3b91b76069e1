"""Hypotheses: claims, and what people do with them."""

from enum import StrEnum
from typing import Any

from fastapi import APIRouter, Response

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.core.codec import decode
from warpbook.core.effect import KERNEL_TIME, Metric, parse_metric
from warpbook.lab.claims import BELIEF, least, parse_guards
from warpbook.web.api import shapes
from warpbook.web.api.asking import Reading, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import (
    BeliefNumber,
    Body,
    Claim,
    EffectText,
    Guards,
    HypothesisName,
    InCampaign,
    Limit,
    MetricText,
    OfCampaign,
    Offset,
    Reason,
    Runs,
    Search,
    Tags,
)
from warpbook.web.api.paging import paged

router = APIRouter(tags=["hypotheses"], responses=described())
CHANGES = described(409, 413, 415)


class Verdict(StrEnum):
    SUPPORTED = "supported"
    REFUTED = "refuted"
    OPEN = "open"


class NewHypothesis(Body):
    """The metric is by default the campaign's, or the time of a kernel."""

    claim: Claim
    metric: MetricText | None = None
    at_least: EffectText | None = None
    worse: bool = False
    because: Reason = ""
    belief: BeliefNumber | None = None
    campaign: InCampaign | None = None
    tags: Tags
    guards: Guards


class More(Body):
    """By default as many runs as are said to decide."""

    runs: Runs | None = None


@router.get("/hypotheses", response_model=shapes.Page[shapes.Hypothesis], operation_id="hypotheses")
async def hypotheses(
    ask: Reading,
    campaign: OfCampaign = None,
    verdict: Verdict | None = None,
    search: Search = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """The newest first; `search` looks in claims and reasons"""

    def found(book: Book) -> Any:
        wanted = None if verdict is None else verdict.value
        rows = book.hypotheses.list(campaign, wanted, search, limit + 1, offset)
        return paged([documents.hypothesis(row) for row in rows], limit, offset)

    return await ask(found)


@router.get("/hypotheses/{name}", response_model=shapes.HypothesisView, operation_id="hypothesis")
async def hypothesis(ask: Reading, name: HypothesisName) -> Response:
    """One claim: verdict, evidence, predictions, runs, what comes next"""

    def found(book: Book) -> Any:
        summary = book.hypotheses.summary(name)
        return {"name": summary.hypothesis.name} | documents.summary(summary)

    return await ask(found)


@router.post(
    "/hypotheses", response_model=shapes.Hypothesis, status_code=201,
    operation_id="add_hypothesis", responses=CHANGES,
)  # fmt: skip
async def add(ask: Writing, given: NewHypothesis) -> Response:
    """Claim that a change moves a metric by at least so much"""

    def made(book: Book) -> Any:
        metric = parse_metric(given.metric) if given.metric else usual(book, given.campaign)
        row = book.hypotheses.add(
            given.claim,
            metric,
            least(given.at_least, metric),
            direction=-1 if given.worse else 1,
            because=given.because,
            prior=BELIEF if given.belief is None else given.belief,
            guards=parse_guards(given.guards),
            campaign=given.campaign or "inbox",
            tags=given.tags,
        )
        return documents.hypothesis(book.hypotheses.get(row.id))

    return await ask(made, status=201)


def usual(book: Book, campaign: str | None) -> Metric:
    found = book.campaigns.get(campaign).metric if campaign is not None else None
    return decode(Metric, found) if found else KERNEL_TIME


@router.post(
    "/hypotheses/{name}/withdraw", response_model=shapes.Hypothesis,
    operation_id="withdraw_hypothesis", responses=CHANGES,
)  # fmt: skip
async def withdraw(ask: Writing, name: HypothesisName) -> Response:
    """Take a claim back; its runs stay"""

    def made(book: Book) -> Any:
        book.hypotheses.withdraw(name)
        return documents.hypothesis(book.hypotheses.get(name))

    return await ask(made)


@router.post(
    "/hypotheses/{name}/confirm", response_model=shapes.Experiment, operation_id="confirm",
    responses=CHANGES,
)  # fmt: skip
async def confirm(ask: Writing, name: HypothesisName) -> Response:
    """Queue 3 fresh runs, which alone a finding about the best of several quotes"""

    def made(book: Book) -> Any:
        return documents.experiment(book.experiments.confirm(name))

    return await ask(made)


@router.post(
    "/hypotheses/{name}/more", response_model=shapes.Experiment,
    operation_id="more_of_hypothesis", responses=CHANGES,
)  # fmt: skip
async def more(ask: Writing, name: HypothesisName, given: More | None = None) -> Response:
    """Queue more runs of its experiment"""

    def made(book: Book) -> Any:
        return documents.experiment(book.experiments.more(name, given.runs if given else None))

    return await ask(made)
