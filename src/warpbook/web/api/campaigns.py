"""Campaigns: goals and budgets."""

from typing import Annotated, Any

from fastapi import APIRouter, Response

from warpbook.book import documents
from warpbook.book.book import Book
from warpbook.core.effect import KERNEL_TIME, parse_gain, parse_metric
from warpbook.core.errors import BadInput
from warpbook.web.api import shapes
from warpbook.web.api.asking import Reading, Writing
from warpbook.web.api.errors import described
from warpbook.web.api.fields import (
    Body,
    CampaignName,
    EffectText,
    Limit,
    MetricText,
    Money,
    Offset,
    Seconds,
    Workload,
    line,
    text,
)
from warpbook.web.api.paging import paged

router = APIRouter(tags=["campaigns"], responses=described())
CHANGES = described(409, 413, 415)


class NewCampaign(Body):
    """`aim` is the gain aimed at, such as 2x; the budget stops it."""

    name: Annotated[str, line(200, 1)]
    goal: Annotated[str, text(2000)] = ""
    metric: MetricText | None = None
    workload: Workload = ""
    device: Annotated[str, line(20)] = ""
    aim: EffectText | None = None
    budget_s: Seconds | None = None
    budget_money: Money | None = None


class Budget(Body):
    """What is not given stays as it is; null lifts it."""

    budget_s: Seconds | None = None
    budget_money: Money | None = None


@router.get("/campaigns", response_model=shapes.Page[shapes.Campaign], operation_id="campaigns")
async def campaigns(ask: Reading, limit: Limit = 500, offset: Offset = 0) -> Response:
    """All campaigns, oldest first"""

    def found(book: Book) -> Any:
        rows = book.campaigns.list()[offset : offset + limit + 1]
        return paged([documents.campaign(row) for row in rows], limit, offset)

    return await ask(found)


@router.get("/campaigns/{name}", response_model=shapes.Campaign, operation_id="campaign")
async def campaign(ask: Reading, name: CampaignName) -> Response:
    """One campaign: its goal, its budget, and what it has spent"""
    return await ask(lambda book: documents.campaign(book.campaigns.get(name)))


@router.post(
    "/campaigns", response_model=shapes.Campaign, status_code=201, operation_id="add_campaign",
    responses=CHANGES,
)  # fmt: skip
async def add(ask: Writing, given: NewCampaign) -> Response:
    """Start a campaign"""

    def made(book: Book) -> Any:
        metric = parse_metric(given.metric) if given.metric else None
        row = book.campaigns.add(
            given.name,
            goal=given.goal,
            metric=metric,
            workload=given.workload,
            device=given.device,
            goal_gain=parse_gain(given.aim, metric or KERNEL_TIME) if given.aim else None,
            budget_s=given.budget_s,
            budget_money=given.budget_money,
        )
        return documents.campaign(row)

    return await ask(made, status=201)


@router.post(
    "/campaigns/{name}/budget", response_model=shapes.Campaign, operation_id="set_budget",
    responses=CHANGES,
)  # fmt: skip
async def budget(ask: Writing, name: CampaignName, given: Budget) -> Response:
    """Set the time and the money a campaign may spend"""
    if not given.model_fields_set:
        raise BadInput("which budget? give budget_s, budget_money, or null to lift one")

    def made(book: Book) -> Any:
        with book.writing():
            now = book.campaigns.get(name)
            limits = {"budget_s": now.budget_s, "budget_money": now.budget_money}
            limits |= given.model_dump(exclude_unset=True)
            book.campaigns.set_budget(name, limits["budget_s"], limits["budget_money"])
            return documents.campaign(book.campaigns.get(name))

    return await ask(made)


async def to_state(ask: Writing, name: str, verb: str) -> Response:
    def made(book: Book) -> Any:
        getattr(book.campaigns, verb)(name)
        return documents.campaign(book.campaigns.get(name))

    return await ask(made)


@router.post(
    "/campaigns/{name}/stop", response_model=shapes.Campaign, operation_id="stop_campaign",
    responses=CHANGES,
)  # fmt: skip
async def stop(ask: Writing, name: CampaignName) -> Response:
    """Take nothing of it from the queue"""
    return await to_state(ask, name, "stop")


@router.post(
    "/campaigns/{name}/resume", response_model=shapes.Campaign, operation_id="resume_campaign",
    responses=CHANGES,
)  # fmt: skip
async def resume(ask: Writing, name: CampaignName) -> Response:
    """Let a stopped or archived campaign go on"""
    return await to_state(ask, name, "resume")


@router.post(
    "/campaigns/{name}/archive", response_model=shapes.Campaign, operation_id="archive_campaign",
    responses=CHANGES,
)  # fmt: skip
async def archive(ask: Writing, name: CampaignName) -> Response:
    """Put it away: nothing of it runs, all of it stays to be read"""
    return await to_state(ask, name, "archive")
