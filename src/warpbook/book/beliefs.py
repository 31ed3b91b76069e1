"""The history of a hypothesis: a row each time an evaluation left something new.

Derived and without events. Knows nothing of how a belief comes about.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from warpbook.book.events import now
from warpbook.book.tables import Belief, Hypothesis

NEWS = 0.0005  # a belief that moved by less is the same
LONGEST_CAUSE = 500
KEPT = ("belief", "runs", "estimate", "low", "high", "verdict")


def remember(session: Session, ids: Collection[int], cause: str) -> None:
    """Keep these hypotheses as they are now, those that differ from what was last kept of them."""
    session.flush()
    last = last_of(session, ids)
    columns = [getattr(Hypothesis, name) for name in KEPT]
    rows = session.execute(select(Hypothesis.id, *columns).where(Hypothesis.id.in_(ids)))
    at = now()
    made = [
        {"hypothesis_id": row.id, "at": at, "cause": cause[:LONGEST_CAUSE]}
        | {name: getattr(row, name) for name in KEPT}
        for row in rows
        if row.id not in last or is_news(last[row.id], row)
    ]
    if made:
        session.connection().execute(insert(Belief.__table__), made)  # type: ignore[arg-type]


def last_of(session: Session, ids: Collection[int]) -> dict[int, Any]:
    newest = (
        select(func.max(Belief.id))
        .where(Belief.hypothesis_id.in_(ids))
        .group_by(Belief.hypothesis_id)
    )
    rows = session.execute(
        select(Belief.hypothesis_id, Belief.belief, Belief.runs, Belief.verdict).where(
            Belief.id.in_(newest)
        )
    )
    return {row.hypothesis_id: row for row in rows}


def is_news(before: Any, after: Any) -> bool:
    if (before.runs, before.verdict) != (after.runs, after.verdict):
        return True
    return bool(abs(before.belief - after.belief) > NEWS)
