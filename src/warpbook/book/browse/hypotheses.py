"""Hypotheses in lists: where each one stands, how its belief went, and what comes next.

SQL filters, searches, sorts and pages. Long texts are cut.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, String, case, cast, func, select
from sqlalchemy.orm import Session

from warpbook.book.browse.beliefs import histories
from warpbook.book.browse.lists import cut, holds, order, paged, searched
from warpbook.book.browse.sieve import CLAIM_STATES, STATE
from warpbook.book.campaigns import find
from warpbook.book.summary import WAITING, needs
from warpbook.book.tables import Experiment, Hypothesis, Prediction
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

PAGE = 50
NAME = re.compile(r"[hH]-?(\d{1,15})")
STATUSES = (*CLAIM_STATES, "all")
SORTS: Mapping[str, ColumnElement[Any]] = {
    "created": Hypothesis.id.expression,
    "belief": Hypothesis.belief.expression,
    "effect": Hypothesis.estimate.expression,
    "runs": Hypothesis.runs.expression,
    "evidence": func.max(Hypothesis.log_support, Hypothesis.log_refute),
}


@dataclass(frozen=True)
class Wanted:
    """Which ones. `sort` is one of SORTS, with a dash before it for the largest first."""

    campaign: str = ""
    status: str = "all"
    search: str = ""
    sort: str = "-created"
    page: int = 1
    rows: int = PAGE


@dataclass(frozen=True)
class Next:
    """The experiment that will bring a hypothesis on."""

    experiment: str
    state: str
    title: str


@dataclass(frozen=True)
class Line:
    """One hypothesis. `status` is its verdict, or withdrawn; `stale` says why it is, or nothing."""

    id: int
    claim: str
    status: str
    stale: str
    metric: Metric
    direction: int
    delta: float
    belief: float
    prior: float
    estimate: float | None
    low: float | None
    high: float | None
    runs: int
    log_support: float
    log_refute: float
    needs: str
    author: str
    created_at: str
    tags: tuple[str, ...]
    history: tuple[float, ...] = ()
    next: Next | None = None

    @property
    def name(self) -> str:
        return f"H-{self.id}"


@dataclass(frozen=True)
class Listing:
    """One page; `total` counts all that were asked for, `counts` all of the campaign by status."""

    lines: tuple[Line, ...]
    total: int
    counts: Mapping[str, int] = field(default_factory=dict)


TABLE = Hypothesis
COLUMNS: tuple[Any, ...] = (
    *(TABLE.id, cut(TABLE.claim).label("claim"), STATE[TABLE].label("status"), TABLE.state),
    *(cut(TABLE.stale).label("stale"), TABLE.metric, TABLE.direction, TABLE.delta, TABLE.belief),
    *(TABLE.prior, TABLE.estimate, TABLE.low, TABLE.high, TABLE.runs, TABLE.log_support),
    *(TABLE.log_refute, TABLE.verdict, TABLE.runs_to_decide, TABLE.author, TABLE.created_at),
    TABLE.tags,
)


def listing(book: "Book", wanted: Wanted) -> Listing:
    with book.reading() as session:
        home = find(session, wanted.campaign).id if wanted.campaign else None
        here = [] if home is None else [Hypothesis.campaign_id == home]
        kept = [*here, *conditions(wanted)]
        total = session.scalar(select(func.count()).select_from(Hypothesis).where(*kept)) or 0
        query = select(*COLUMNS).where(*kept).order_by(*order(SORTS, wanted.sort, TABLE.id))
        rows = session.execute(paged(query, wanted.page, wanted.rows)).all()
        return Listing(lines(session, rows), total, counts(session, here))


def conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    found = [] if wanted.status == "all" else [status_is(wanted.status)]
    search = searched(wanted.search)
    if named := NAME.fullmatch(search):
        return [*found, Hypothesis.id == int(named[1])]
    if search:
        columns = Hypothesis.claim, Hypothesis.because, Hypothesis.author, cast(TABLE.tags, String)
        found.append(holds(search, *columns))
    return found


def status_is(status: str) -> ColumnElement[bool]:
    if status not in CLAIM_STATES:
        raise BadInput(f"no status {status[:80]!r}: {', '.join(STATUSES)}")
    if status == "stale":
        return Hypothesis.stale != ""
    found: ColumnElement[bool] = STATE[Hypothesis] == status
    return found


def counts(session: Session, here: Sequence[ColumnElement[bool]]) -> dict[str, int]:
    stale = func.sum(case((Hypothesis.stale != "", 1), else_=0))
    query = select(STATE[TABLE], func.count(), stale).where(*here).group_by(STATE[TABLE])
    rows = session.execute(query).all()
    found = {status: number for status, number, _ in rows}
    return found | {"stale": sum(row[2] for row in rows), "all": sum(row[1] for row in rows)}


def lines(session: Session, rows: Sequence[Any]) -> tuple[Line, ...]:
    ids = [row.id for row in rows]
    went, following = histories(session, ids), nexts(session, ids)
    return tuple(line(row, went.get(row.id, ()), following.get(row.id)) for row in rows)


def line(row: Any, history: tuple[float, ...] = (), following: Next | None = None) -> Line:
    return Line(
        *(row.id, row.claim, row.status, row.stale, decode(Metric, row.metric), row.direction),
        *(row.delta, row.belief, row.prior, row.estimate, row.low, row.high, row.runs),
        *(row.log_support, row.log_refute, needs(row), row.author, row.created_at),
        *(tuple(map(str, row.tags)), history, following),
    )


def nexts(session: Session, ids: Sequence[int]) -> dict[int, Next]:
    """Of each hypothesis the experiment that runs, or waits; the oldest of several."""
    # The states are looked at here: asked for them, SQLite would go through the whole queue.
    rows = session.execute(
        select(Prediction.hypothesis_id, Experiment.id, Experiment.state)
        .join(Experiment, Experiment.id == Prediction.experiment_id)
        .where(Prediction.hypothesis_id.in_(ids))
        .order_by(Experiment.id)
    ).all()
    waiting = [row for row in rows if row.state in WAITING]
    first: dict[int, Any] = {}
    for row in sorted(waiting, key=lambda row: WAITING.index(row.state)):
        first.setdefault(row[0], row)
    titled = session.execute(
        select(Experiment.id, cut(Experiment.title)).where(
            Experiment.id.in_({row[1] for row in first.values()})
        )
    )
    titles = {row[0]: row[1] for row in titled}
    return {n: Next(f"E-{row[1]}", row[2], titles[row[1]]) for n, row in first.items()}
