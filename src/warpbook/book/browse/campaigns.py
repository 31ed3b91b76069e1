"""Campaigns at a glance: the goal, the best so far, the floor, where the claims stand, the budget.

SQL filters, searches, sorts and pages. Of receipts one a campaign is read, for its floor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, case, func, or_, select
from sqlalchemy.orm import Session

from warpbook.book.browse.limits import Limit, limit_of
from warpbook.book.browse.lists import cut, holds, order, paged, searched
from warpbook.book.browse.sieve import STATE
from warpbook.book.campaigns import find
from warpbook.book.statistics.verdict import LEAST_RUNS
from warpbook.book.tables import Campaign, Experiment, Finding, Hypothesis, Prediction, Run
from warpbook.core.codec import decode
from warpbook.core.effect import KERNEL_TIME, Metric
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

PAGE = 20
MOST_NAMES = 200
LONGEST_GOAL = 2000
STATES = ("current", "active", "stopped", "archived", "all")
SORTS: Mapping[str, Any] = {
    "created": Campaign.id,
    "name": Campaign.name,
    "spent": Campaign.spent_s,
}


@dataclass(frozen=True)
class Wanted:
    """Which ones: `current` are those that are not archived."""

    state: str = "current"
    search: str = ""
    sort: str = "-created"
    page: int = 1
    rows: int = PAGE


@dataclass(frozen=True)
class Best:
    """The largest effect that a hypothesis of the campaign has shown, as a gain."""

    hypothesis: str
    claim: str
    status: str
    stale: str
    metric: Metric
    estimate: float
    low: float | None
    high: float | None
    runs: int


@dataclass(frozen=True)
class Glance:
    """`counts` are of its hypotheses by status, stale among them; `waiting` of its experiments
    that run or wait. `metric` is what the goal is in."""

    number: str
    name: str
    goal: str
    state: str
    author: str
    created_at: str
    metric: Metric | None
    workload: str
    device: str
    goal_gain: float | None
    budget_s: float | None
    budget_money: float | None
    spent_s: float
    spent_money: float
    counts: Mapping[str, int]
    waiting: Mapping[str, int]
    findings: int
    best: Best | None
    limit: Limit | None

    @property
    def goal_metric(self) -> Metric:
        return self.metric or KERNEL_TIME


@dataclass(frozen=True)
class Listing:
    """One page; `counts` are of all campaigns by state."""

    glances: tuple[Glance, ...]
    total: int
    counts: Mapping[str, int]


def listing(book: "Book", wanted: Wanted) -> Listing:
    with book.reading() as session:
        kept = conditions(wanted)
        total = session.scalar(select(func.count()).select_from(Campaign).where(*kept)) or 0
        query = select(Campaign.id).where(*kept).order_by(*order(SORTS, wanted.sort, Campaign.id))
        ids = session.scalars(paged(query, wanted.page, wanted.rows)).all()
        states = session.execute(select(Campaign.state, func.count()).group_by(Campaign.state))
        counts = {row[0]: row[1] for row in states}
        return Listing(glances(session, book.folder, ids), total, counts)


def glance(book: "Book", name: str) -> Glance:
    with book.reading() as session:
        return glances(session, book.folder, [find(session, name).id])[0]


def open_names(book: "Book", most: int = MOST_NAMES) -> tuple[str, ...]:
    """Campaigns that a claim may go to, the newest first."""
    query = select(Campaign.name).where(Campaign.state != "archived")
    with book.reading() as session:
        return tuple(session.scalars(query.order_by(Campaign.id.desc()).limit(most)))


def conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    if wanted.state not in STATES:
        raise BadInput(f"no state {wanted.state[:80]!r}: {', '.join(STATES)}")
    found: list[ColumnElement[bool]] = []
    if wanted.state == "current":
        found.append(Campaign.state != "archived")
    elif wanted.state != "all":
        found.append(Campaign.state == wanted.state)
    if search := searched(wanted.search):
        found.append(holds(search, Campaign.name, Campaign.goal))
    return found


def glances(session: Session, folder: Path, ids: Sequence[int]) -> tuple[Glance, ...]:
    """In the order of `ids`."""
    columns = (
        *(
            Campaign.id,
            Campaign.name,
            cut(Campaign.goal, LONGEST_GOAL + 1).label("goal"),
            Campaign.state,
        ),
        *(Campaign.author, Campaign.created_at, Campaign.metric, Campaign.workload),
        *(Campaign.device, Campaign.goal_gain, Campaign.budget_s, Campaign.budget_money),
        *(Campaign.spent_s, Campaign.spent_money),
    )
    rows = {row.id: row for row in session.execute(select(*columns).where(Campaign.id.in_(ids)))}
    counts, waiting = claims(session, ids), experiments(session, ids)
    learned, best = findings(session, ids), bests(session, ids)
    limits = limits_of(session, folder, best)
    return tuple(
        Glance(
            *(f"C-{id_}", rows[id_].name, rows[id_].goal, rows[id_].state, rows[id_].author),
            rows[id_].created_at,
            decode(Metric, rows[id_].metric) if rows[id_].metric else None,
            *(rows[id_].workload, rows[id_].device, rows[id_].goal_gain, rows[id_].budget_s),
            *(rows[id_].budget_money, rows[id_].spent_s, rows[id_].spent_money),
            *(counts.get(id_, {}), waiting.get(id_, {}), learned.get(id_, 0)),
            *(best.get(id_), limits.get(id_)),
        )
        for id_ in ids
    )


def claims(session: Session, ids: Sequence[int]) -> dict[int, dict[str, int]]:
    status = STATE[Hypothesis]
    stale = func.sum(case((Hypothesis.stale != "", 1), else_=0))
    rows = session.execute(
        select(Hypothesis.campaign_id, status, func.count(), stale)
        .where(Hypothesis.campaign_id.in_(ids))
        .group_by(Hypothesis.campaign_id, status)
    )
    found: dict[int, dict[str, int]] = {}
    for home, name, number, flagged in rows:
        kept = found.setdefault(home, {"stale": 0, "all": 0})
        kept[name] = number
        kept["all"] += number
        kept["stale"] += flagged
    return found


def experiments(session: Session, ids: Sequence[int]) -> dict[int, dict[str, int]]:
    rows = session.execute(
        select(Experiment.campaign_id, Experiment.state, func.count())
        .where(Experiment.campaign_id.in_(ids), Experiment.state.in_(("running", "queued", "held")))
        .group_by(Experiment.campaign_id, Experiment.state)
    )
    found: dict[int, dict[str, int]] = {}
    for home, state, number in rows:
        found.setdefault(home, {})[state] = number
    return found


def findings(session: Session, ids: Sequence[int]) -> dict[int, int]:
    rows = session.execute(
        select(Finding.campaign_id, func.count())
        .where(Finding.campaign_id.in_(ids), Finding.state == "active")
        .group_by(Finding.campaign_id)
    )
    return {row[0]: row[1] for row in rows}


def bests(session: Session, ids: Sequence[int]) -> dict[int, Best]:
    """Of each campaign the hypothesis with the largest gain on its metric, from enough runs to be
    decided if there is one. Ratios come before differences, which they cannot be held against."""
    kind, scale = (func.json_extract(Hypothesis.metric, path) for path in ("$.name", "$.scale"))
    aimed = func.json_extract(Campaign.metric, "$.name")
    rank = func.row_number().over(
        partition_by=Hypothesis.campaign_id,
        order_by=(
            *(scale == "difference", Hypothesis.runs < LEAST_RUNS),
            *(Hypothesis.estimate.desc(), Hypothesis.id),
        ),
    )
    ranked = (
        select(Hypothesis.id, rank.label("place"))
        .join(Campaign, Campaign.id == Hypothesis.campaign_id)
        .where(
            *(Hypothesis.campaign_id.in_(ids), Hypothesis.state == "active"),
            *(Hypothesis.runs > 0, Hypothesis.estimate.is_not(None)),
            or_(aimed.is_(None), kind == aimed),
        )
        .subquery()
    )
    first = select(ranked.c.id).where(ranked.c.place == 1)
    table = Hypothesis
    columns = (
        *(table.campaign_id, table.id, cut(table.claim), STATE[table], cut(table.stale)),
        *(table.metric, table.estimate, table.low, table.high, table.runs),
    )
    rows = session.execute(select(*columns).where(table.id.in_(first)))
    return {
        home: Best(f"H-{id_}", claim, status, stale, decode(Metric, metric), *numbers)
        for home, id_, claim, status, stale, metric, *numbers in rows
    }


def limits_of(session: Session, folder: Path, best: Mapping[int, Best]) -> dict[int, Limit]:
    """By campaign: from the newest counted kernel run of its best hypothesis."""
    timed = {int(b.hypothesis[2:]): home for home, b in best.items() if b.metric == KERNEL_TIME}
    pairs = session.execute(
        select(Prediction.experiment_id, Hypothesis.id, Hypothesis.environment_key)
        .join(Hypothesis, Hypothesis.id == Prediction.hypothesis_id)
        .join(Experiment, Experiment.id == Prediction.experiment_id)
        .where(Prediction.hypothesis_id.in_(timed), Experiment.kind == "kernel")
    ).all()
    # Two queries: in one, SQLite would go through all valid runs of the book.
    rows = session.execute(
        select(Run.id, Run.experiment_id, Run.environment_key, Run.receipt_sha256).where(
            Run.experiment_id.in_({pair[0] for pair in pairs}), Run.state == "valid"
        )
    ).all()
    oldest_first = sorted(rows, key=lambda row: row.id)
    newest = {(row.experiment_id, row.environment_key): row for row in oldest_first}
    found = ((claim, newest.get((experiment, key))) for experiment, claim, key in pairs)
    chosen = {claim: row for claim, row in found if row is not None}
    read = ((timed[c], limit_of(folder, r.id, r.receipt_sha256)) for c, r in chosen.items())
    return {home: limit for home, limit in read if limit is not None}
