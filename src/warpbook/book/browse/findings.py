"""Findings: in lists, and one with all that it is tied to.

SQL filters, searches, sorts and pages. Long texts are cut.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, String, case, cast, func, select
from sqlalchemy.orm import Session

from warpbook.book import findings as rules
from warpbook.book import names
from warpbook.book.browse.lists import LONGEST, cut, holds, order, paged, searched
from warpbook.book.browse.nodes import numbers
from warpbook.book.browse.sieve import STATE
from warpbook.book.campaigns import find
from warpbook.book.tables import Campaign, Finding, Link, Prediction, Run
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

PAGE = 50
NAME = re.compile(r"[fF]-?(\d{1,15})")
STATUSES = ("active", "stale", "withdrawn", "all")
SORTS: Mapping[str, Any] = {"created": Finding.id, "effect": Finding.gain}


@dataclass(frozen=True)
class Wanted:
    """Which ones: `active` are those that are not withdrawn."""

    campaign: str = ""
    status: str = "active"
    search: str = ""
    sort: str = "-created"
    page: int = 1
    rows: int = PAGE


@dataclass(frozen=True)
class Line:
    """`links` are pairs of a type and a name."""

    name: str
    statement: str
    status: str
    stale: str
    campaign: str
    campaign_id: int
    metric: Metric | None
    gain: float | None
    low: float | None
    high: float | None
    runs: int
    author: str
    created_at: str
    tags: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Listing:
    lines: tuple[Line, ...]
    total: int
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Tie:
    """A link to or from a finding, with what is at its other end."""

    type: str
    name: str
    text: str
    status: str


@dataclass(frozen=True)
class Detail:
    """`ties` go out from it, `back` come from other findings. `again` is the command that measures
    again. `runs_below` counts the runs that a walk down to the samples would open."""

    finding: Finding
    campaign: str
    metric: Metric | None
    ties: tuple[Tie, ...]
    back: tuple[Tie, ...]
    again: str
    runs_below: int


def listing(book: "Book", wanted: Wanted) -> Listing:
    with book.reading() as session:
        here = [] if not wanted.campaign else [in_campaign(session, wanted.campaign)]
        kept = [*here, *conditions(wanted)]
        total = session.scalar(select(func.count()).select_from(Finding).where(*kept)) or 0
        query = query_of().where(*kept).order_by(*order(SORTS, wanted.sort, Finding.id))
        rows = session.execute(paged(query, wanted.page, wanted.rows)).all()
        tied = links(session, [row.id for row in rows])
        return Listing(
            tuple(line(row, tied.get(row.id, ())) for row in rows), total, counts(session, here)
        )


def query_of() -> Any:
    return select(
        *(Finding.id, cut(Finding.statement).label("statement"), cut(Finding.stale).label("stale")),
        *(STATE[Finding].label("status"), cut(Campaign.name).label("campaign"), Finding.metric),
        *(Finding.gain, Finding.low, Finding.high, Finding.author, Finding.created_at),
        *(Finding.campaign_id, Finding.tags, func.json_array_length(Finding.runs).label("runs")),
    ).join(Campaign, Campaign.id == Finding.campaign_id)


def in_campaign(session: Session, name: str) -> ColumnElement[bool]:
    return Finding.campaign_id == find(session, name).id


def conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    if wanted.status not in STATUSES:
        raise BadInput(f"no status {wanted.status[:80]!r}: {', '.join(STATUSES)}")
    found: list[ColumnElement[bool]] = []
    if wanted.status == "active":
        found.append(Finding.state == "active")
    elif wanted.status != "all":
        found.append(STATE[Finding] == wanted.status)
    search = searched(wanted.search)
    if named := NAME.fullmatch(search):
        return [*found, Finding.id == int(named[1])]
    if search:
        columns = Finding.statement, Finding.author, cast(Finding.tags, String)
        found.append(holds(search, *columns))
    return found


def counts(session: Session, here: Sequence[ColumnElement[bool]]) -> dict[str, int]:
    withdrawn = func.sum(case((Finding.state == "withdrawn", 1), else_=0))
    stale = func.sum(case((STATE[Finding] == "stale", 1), else_=0))
    query = select(func.count(), withdrawn, stale).select_from(Finding).where(*here)
    total, gone, flagged = session.execute(query).one()
    return {
        "all": total,
        "withdrawn": gone or 0,
        "stale": flagged or 0,
        "active": total - (gone or 0),
    }


def line(row: Any, tied: tuple[tuple[str, str], ...]) -> Line:
    metric = decode(Metric, row.metric) if row.metric else None
    return Line(
        *(f"F-{row.id}", row.statement, row.status, row.stale, row.campaign),
        row.campaign_id,
        metric,
        *(row.gain, row.low, row.high),
        row.runs or 0,
        *(row.author, row.created_at),
        tuple(map(str, row.tags)),
        tied,
    )


def links(session: Session, ids: Sequence[int]) -> dict[int, tuple[tuple[str, str], ...]]:
    rows = session.execute(
        select(Link.finding_id, Link.type, Link.to_kind, Link.to_id)
        .where(Link.finding_id.in_(ids))
        .order_by(Link.id)
    )
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    for finding, type_, kind, number in rows:
        found[finding] = (*found.get(finding, ()), (type_, f"{kind}-{number}"))
    return found


def detail(book: "Book", name: str) -> Detail:
    with book.reading() as session:
        row = names.get(session, Finding, name)
        linked = rules.linked_of(session, row)
        return Detail(
            row,
            session.get_one(Campaign, row.campaign_id).name,
            decode(Metric, row.metric) if row.metric else None,
            tuple(tie(type_, target) for type_, target in linked),
            pointing(session, row),
            rules.rerun_line(session, row),
            runs_below(session, [target.name for _, target in linked]),
        )


def tie(type_: str, target: Any) -> Tie:
    texts = {"H": "claim", "E": "title", "F": "statement"}
    text = getattr(target, texts[target.letter])[:LONGEST]
    status = target.state
    if target.letter == "H" and status == "active":
        status = target.verdict
    elif target.letter == "F" and status == "active" and target.stale:
        status = "stale"
    return Tie(type_, target.name, text, status)


def pointing(session: Session, row: Finding) -> tuple[Tie, ...]:
    rows = session.execute(
        select(Link.type, Finding.id, cut(Finding.statement), STATE[Finding])
        .join(Finding, Finding.id == Link.finding_id)
        .where(Link.to_kind == "F", Link.to_id == row.id)
        .order_by(Link.id)
    )
    return tuple(Tie(type_, f"F-{id_}", text, status) for type_, id_, text, status in rows)


def runs_below(session: Session, targets: Sequence[str]) -> int:
    """Of these and of what the findings among them are tied to, however far."""
    seen, waiting = set[str](), {*targets}
    while waiting:
        seen |= waiting
        findings = numbers(waiting, "F")
        tied = links(session, findings).values()
        waiting = {name for pairs in tied for _, name in pairs} - seen
    tests = select(Prediction.experiment_id).where(Prediction.hypothesis_id.in_(numbers(seen, "H")))
    plans = numbers(seen, "E")
    query = select(func.count()).select_from(Run)
    found = query.where(Run.experiment_id.in_(tests) | Run.experiment_id.in_(plans))
    return session.scalar(found) or 0
