"""Plans of the journal's days, and the measured claims in them."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from warpbook.core.errors import BadInput
from warpbook.journal.days import claims, days, figures, plans
from warpbook.journal.journal import Journal
from warpbook.web.api import journal_shapes as shapes
from warpbook.web.api.asking import TheJournal
from warpbook.web.api.days import added
from warpbook.web.api.errors import described
from warpbook.web.api.fields import Body, Id, Limit, Offset, line
from warpbook.web.api.paging import paged
from warpbook.web.api.shapes import Page

router = APIRouter(tags=["plans and claims"], responses=described())
CHANGES = described(409, 413, 415)
ClaimKey = Annotated[
    str,
    Path(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\.[0-9]{1,6}$", description="Such as 2026-01-04.3."),
]
PlanState = Annotated[
    Literal["open", "done", "dropped", "all"], Query(description="Of one state alone, or all.")
]
ClaimState = Annotated[
    Literal["unverified", "linked"] | None, Query(description="Of one state alone.")
]


class NewPlan(Body):
    text: Annotated[str, line(2000, 1)]


class SettledPlan(Body):
    """Its id, its text, or words of it that no other open plan has."""

    plan: Annotated[str, line(2000, 1)]


class Evidence(Body):
    """The run or experiment behind a claim: R-57 or E-31."""

    to: Id


@router.get("/plans", response_model=Page[shapes.Plan], operation_id="plans")
async def listed(
    ask: TheJournal, state: PlanState = "open", limit: Limit = 50, offset: Offset = 0
) -> Response:
    """The oldest first; open ones, or those of another `state`"""

    def found(journal: Journal) -> Any:
        states = tuple(plans.BOXES) if state == "all" else (state,)
        rows = plans.listed(journal, states)[offset : offset + limit + 1]
        return paged([plan.document() for plan in rows], limit, offset)

    return await ask(found)


@router.post("/plans", response_model=shapes.Added, operation_id="add_plan", responses=CHANGES)
async def add(ask: TheJournal, given: NewPlan) -> Response:
    """Write a plan into today's file"""

    def made(journal: Journal) -> Any:
        words = " ".join(given.text.split())
        if not words:
            raise BadInput("the plan is empty")
        return added(days.add(journal, journal.today(), plans.box(words)))

    return await ask(made)


@router.post(
    "/plans/done", response_model=shapes.Added, operation_id="plan_done", responses=CHANGES
)
async def done(ask: TheJournal, given: SettledPlan) -> Response:
    """Mark a plan as done, in today's file"""
    return await ask(settled, given.plan, "done")


@router.post(
    "/plans/drop", response_model=shapes.Added, operation_id="plan_dropped", responses=CHANGES
)
async def drop(ask: TheJournal, given: SettledPlan) -> Response:
    """Drop a plan: it is carried no further"""
    return await ask(settled, given.plan, "dropped")


def settled(journal: Journal, called: str, state: str) -> dict[str, Any]:
    return added(days.settle(journal, plans.find(journal, called), state))


@router.get("/claims", response_model=Page[shapes.Claim], operation_id="claims")
async def claims_listed(
    ask: TheJournal, state: ClaimState = None, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """Measured claims in the text of days, the newest first; by `state`"""

    def found(journal: Journal) -> Any:
        rows = claims.listed(journal, state, limit + 1, offset)
        return paged(claims.documents(rows), limit, offset)

    return await ask(found)


@router.post(
    "/claims/{key}/link", response_model=shapes.Linked, operation_id="link_claim",
    responses=CHANGES,
)  # fmt: skip
async def link(ask: TheJournal, key: ClaimKey, given: Evidence) -> Response:
    """Cite the run or experiment behind a claim at the end of its line"""

    def made(journal: Journal) -> Any:
        linked = claims.link(journal, key, given.to)
        shown = figures.figure(journal.index.connection, claims.cited(given.to))
        return claims.document(linked) | {"figure": shown.document()}

    return await ask(made)
