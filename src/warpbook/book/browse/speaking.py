"""The findings that speak of a hypothesis or an experiment."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.browse.lists import cut
from warpbook.book.tables import Finding, Link

LONGEST = 20_000
MOST = 100


@dataclass(frozen=True)
class Tied:
    """`type` is what the finding says of it: supports, refutes, ..."""

    finding: str
    type: str
    statement: str
    state: str
    stale: str


def tied(session: Session, letter: str, number: int) -> tuple[Tied, ...]:
    """The newest first."""
    rows = session.execute(
        select(
            *(Finding.id, Link.type, cut(Finding.statement, LONGEST), Finding.state),
            cut(Finding.stale),
        )
        .join(Link, Link.finding_id == Finding.id)
        .where(Link.to_kind == letter, Link.to_id == number)
        .order_by(Finding.id.desc())
        .limit(MOST)
    )
    return tuple(Tied(f"F-{id_}", *rest) for id_, *rest in rows)
