"""What a campaign has learned: which claims stand, which are ruled out, which need a fresh look.

The first of each; the listing has them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from warpbook.book.browse.hypotheses import COLUMNS, Line, line
from warpbook.book.campaigns import find
from warpbook.book.tables import Finding, Hypothesis, Link, Prediction

if TYPE_CHECKING:
    from warpbook.book.book import Book

MOST = 12


@dataclass(frozen=True)
class Lesson:
    """`findings` rest on it; `again` is the command that measures it again."""

    line: Line
    findings: tuple[str, ...]
    again: str


@dataclass(frozen=True)
class Part:
    lessons: tuple[Lesson, ...]
    total: int


@dataclass(frozen=True)
class Lessons:
    """`stale` are those that were decided on ground that has changed, and are open again."""

    supported: Part
    refuted: Part
    stale: Part


def lessons(book: "Book", campaign: str) -> Lessons:
    """The largest effects first."""
    with book.reading() as session:
        home = find(session, campaign).id
        active = [Hypothesis.campaign_id == home, Hypothesis.state == "active"]
        size = func.abs(Hypothesis.estimate).desc()
        return Lessons(
            part(session, [*active, Hypothesis.verdict == "supported"], size),
            part(session, [*active, Hypothesis.verdict == "refuted"], size),
            part(
                session,
                [*active, Hypothesis.verdict == "open", Hypothesis.stale != ""],
                Hypothesis.id.desc(),
            ),
        )


def part(session: Session, kept: Sequence[ColumnElement[bool]], order: ColumnElement[Any]) -> Part:
    total = session.scalar(select(func.count()).select_from(Hypothesis).where(*kept)) or 0
    chosen = select(*COLUMNS).where(*kept).order_by(order, Hypothesis.id.desc()).limit(MOST)
    rows = session.execute(chosen).all()
    ids = [row.id for row in rows]
    resting, again = findings_on(session, ids), reruns(session, ids)
    made = (Lesson(line(r), resting.get(r.id, ()), again.get(r.id, "")) for r in rows)
    return Part(tuple(made), total)


def findings_on(session: Session, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The findings that speak of each hypothesis."""
    rows = session.execute(
        select(Link.to_id, Link.finding_id)
        .join(Finding, Finding.id == Link.finding_id)
        .where(Link.to_kind == "H", Link.to_id.in_(ids), Finding.state == "active")
        .distinct()
        .order_by(Link.finding_id)
    )
    found: dict[int, tuple[str, ...]] = {}
    for claim, finding in rows:
        found[claim] = (*found.get(claim, ()), f"F-{finding}")
    return found


def reruns(session: Session, ids: Sequence[int]) -> dict[int, str]:
    """What to type to measure each hypothesis again: its newest experiment."""
    rows = session.execute(
        select(Prediction.hypothesis_id, func.max(Prediction.experiment_id))
        .where(Prediction.hypothesis_id.in_(ids))
        .group_by(Prediction.hypothesis_id)
    )
    return {claim: f"warpbook rerun E-{experiment}" for claim, experiment in rows}
