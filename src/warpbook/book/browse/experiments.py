"""Experiments in lists: past, current and future ones alike, each with what was predicted and what
was measured.

SQL filters, searches, sorts and pages. Long texts are cut.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from warpbook.book.browse import selection
from warpbook.book.browse.effects import Effect, measured
from warpbook.book.browse.lists import LONGEST, cut
from warpbook.book.browse.selection import GROUPS, Wanted
from warpbook.book.tables import Author, Campaign, Experiment, Hypothesis, Prediction
from warpbook.core.codec import decode
from warpbook.core.effect import Metric

if TYPE_CHECKING:
    from warpbook.book.book import Book

PAGE = 50
MOST_CHOICES = 500
TABLE = Experiment


@dataclass(frozen=True)
class Claim:
    """A hypothesis of an experiment, with the prediction for it. `status` is its verdict, or
    withdrawn; `least` the least effect it claims, as a gain."""

    name: str
    claim: str
    status: str
    stale: str
    belief: float
    least: float
    metric: Metric
    author: str
    low: float
    high: float
    locked_at: str | None
    outcome: str


@dataclass(frozen=True)
class Line:
    """One experiment. `cost_s` is of one run; `score` in bits a second, while it waits."""

    id: int
    title: str
    state: str
    reason: str
    campaign: str
    author: str
    kind: str
    device: str
    workload: str
    metric: Metric
    claims: tuple[Claim, ...]
    effect: Effect | None
    runs_valid: int
    runs_wanted: int
    cost_s: float
    worth: float
    score: float
    pinned: bool
    created_at: str

    @property
    def name(self) -> str:
        return f"E-{self.id}"


@dataclass(frozen=True)
class Listing:
    """One page. `counts` are of all experiments, by group."""

    lines: tuple[Line, ...]
    total: int
    counts: dict[str, int]


@dataclass(frozen=True)
class Choices:
    """What can be filtered by."""

    campaigns: tuple[str, ...]
    authors: tuple[str, ...]
    tags: tuple[str, ...]


def listing(book: "Book", wanted: Wanted) -> Listing:
    with book.reading() as session:
        ids = selection.page_of_ids(session, wanted, PAGE)
        counts = by_group(session)
        total = selection.count(session, wanted) if wanted.filtered else sum(counts.values())
        return Listing(lines(session, ids), total, counts)


def by_group(session: Session) -> dict[str, int]:
    rows = session.execute(select(Experiment.state, func.count()).group_by(Experiment.state))
    found = {row[0]: row[1] for row in rows}
    return {group: sum(found.get(s, 0) for s in states) for group, states in GROUPS.items()}


def choices(book: "Book") -> Choices:
    with book.reading() as session:
        campaigns = session.scalars(
            select(Campaign.name).order_by(Campaign.id.desc()).limit(MOST_CHOICES)
        )
        authors = session.scalars(select(Author.name).order_by(Author.name).limit(MOST_CHOICES))
        tags = session.scalars(
            text(
                "SELECT DISTINCT substr(t.value, 1, 200) FROM hypotheses h "
                "INDEXED BY hypotheses_tags, json_each(h.tags) t WHERE h.tags != '[]' "
                f"ORDER BY 1 LIMIT {MOST_CHOICES}"
            )
        )
        return Choices(*(tuple(map(str, found)) for found in (campaigns, authors, tags)))


def lines(session: Session, ids: Sequence[int]) -> tuple[Line, ...]:
    """In the order of `ids`."""
    main = func.json_extract(TABLE.plan, "$.metrics[0]").label("main")
    columns: tuple[Any, ...] = (
        *(TABLE.id, cut(TABLE.title).label("title"), TABLE.state, TABLE.author, TABLE.kind),
        *(cut(TABLE.state_reason).label("reason"), cut(Campaign.name).label("campaign")),
        *(TABLE.device, cut(TABLE.workload).label("workload"), main, TABLE.runs_valid),
        *(TABLE.runs_wanted, TABLE.cost_s, TABLE.worth, TABLE.score, TABLE.pinned),
        TABLE.created_at,
    )
    query = select(*columns).join(Campaign, Campaign.id == TABLE.campaign_id)
    rows = {row.id: row for row in session.execute(query.where(TABLE.id.in_(ids)))}
    metrics = {number: metric_of(row.main) for number, row in rows.items()}
    shown = measured(session, {number: metric.name for number, metric in metrics.items()})
    held = claims(session, ids)
    return tuple(
        line(rows[number], metrics[number], tuple(held.get(number, ())), shown.get(number))
        for number in ids
        if number in rows
    )


def line(row: Any, metric: Metric, held: tuple[Claim, ...], effect: Effect | None) -> Line:
    return Line(
        *(row.id, row.title, row.state, row.reason, row.campaign, row.author, row.kind),
        *(row.device, row.workload, metric, held, effect, row.runs_valid, row.runs_wanted),
        *(row.cost_s, row.worth, row.score, row.pinned, row.created_at),
    )


def claims(session: Session, ids: Sequence[int], longest: int = LONGEST) -> dict[int, list[Claim]]:
    of, said = Hypothesis, Prediction
    query = select(
        *(said.experiment_id, of.id, cut(of.claim, longest).label("claim"), of.state, of.verdict),
        *(cut(of.stale).label("stale"), of.belief, of.direction, of.delta, of.metric),
        *(said.author, said.low, said.high, said.locked_at, said.outcome),
    ).join(of, of.id == said.hypothesis_id)
    found: dict[int, list[Claim]] = {}
    for row in session.execute(query.where(said.experiment_id.in_(ids)).order_by(of.id)):
        found.setdefault(row.experiment_id, []).append(claim(row))
    return found


def claim(row: Any) -> Claim:
    status = "withdrawn" if row.state == "withdrawn" else row.verdict
    return Claim(
        *(f"H-{row.id}", row.claim, status, row.stale, row.belief, row.direction * row.delta),
        *(decode(Metric, row.metric), row.author, row.low, row.high, row.locked_at, row.outcome),
    )


def metric_of(document: str) -> Metric:
    return decode(Metric, json.loads(document))
