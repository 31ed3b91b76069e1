"""How the beliefs of hypotheses went, evaluation by evaluation. Knows nothing of why."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book.tables import Belief

FEW, MOST = 40, 400


@dataclass(frozen=True)
class Point:
    """A hypothesis after one evaluation; `estimate`, `low` and `high` are gains."""

    at: str
    belief: float
    runs: int
    estimate: float | None
    low: float | None
    high: float | None
    verdict: str
    cause: str


def histories(
    session: Session, ids: Sequence[int], most: int = FEW
) -> dict[int, tuple[float, ...]]:
    """The last beliefs of each of these hypotheses, oldest first."""
    place = func.row_number().over(partition_by=Belief.hypothesis_id, order_by=Belief.id.desc())
    ranked = (
        select(Belief.id, Belief.hypothesis_id, Belief.belief, place.label("place"))
        .where(Belief.hypothesis_id.in_(ids))
        .subquery()
    )
    rows = session.execute(
        select(ranked.c.hypothesis_id, ranked.c.belief)
        .where(ranked.c.place <= most)
        .order_by(ranked.c.id)
    )
    found: dict[int, list[float]] = {}
    for number, belief in rows:
        found.setdefault(number, []).append(belief)
    return {number: tuple(beliefs) for number, beliefs in found.items()}


def history(session: Session, number: int, most: int = MOST) -> tuple[Point, ...]:
    """The last points of one hypothesis, oldest first."""
    rows = session.scalars(
        select(Belief).where(Belief.hypothesis_id == number).order_by(Belief.id.desc()).limit(most)
    ).all()
    return tuple(
        Point(
            *(row.at, row.belief, row.runs, row.estimate, row.low, row.high),
            *(row.verdict, row.cause),
        )
        for row in reversed(rows)
    )
