"""Experiments side by side: what was predicted, measured and spent, and where they were run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book import names
from warpbook.book.browse import run
from warpbook.book.browse.experiments import Line, lines
from warpbook.book.tables import Experiment, Run
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

MOST = 8


@dataclass(frozen=True)
class Side:
    """`environment` is of its newest valid run, empty without one."""

    line: Line
    baseline: str
    change: str
    problem: str
    spent_s: float
    spent_money: float
    environment: Mapping[str, str]


def sides(book: "Book", asked: Sequence[str]) -> tuple[Side, ...]:
    """In the order they were asked for, each once."""
    wanted = [*dict.fromkeys(name for name in asked if name.strip())]
    if len(wanted) > MOST:
        raise BadInput(f"{len(wanted)} experiments are too many side by side: {MOST} at most")
    with book.reading() as session:
        rows = {row.id: row for row in (names.get(session, Experiment, name) for name in wanted)}
        shown = lines(session, [*rows])
        spent, newest = of_runs(session, rows)
    return tuple(
        Side(
            line,
            str(rows[line.id].plan["baseline"]["label"]),
            str(rows[line.id].plan["change"]["label"]),
            str(rows[line.id].plan["problem"]),
            *spent.get(line.id, (0.0, 0.0)),
            environment_of(book, newest.get(line.id)),
        )
        for line in shown
    )


def environment_of(book: "Book", number: int | None) -> Mapping[str, str]:
    return {} if number is None else run.paper(book, f"R-{number}").environment


def of_runs(
    session: Session, ids: Collection[int]
) -> tuple[dict[int, tuple[float, float]], dict[int, int]]:
    """Seconds and money spent on each, and its newest valid run."""
    of = Run.experiment_id
    sums = select(of, func.sum(Run.seconds), func.sum(Run.money)).where(of.in_(ids)).group_by(of)
    spent = {row[0]: (row[1] or 0.0, row[2] or 0.0) for row in session.execute(sums)}
    last = select(of, func.max(Run.id)).where(of.in_(ids), Run.state == "valid").group_by(of)
    return spent, {row[0]: row[1] for row in session.execute(last)}


def differing(found: Sequence[Side]) -> set[str]:
    """The parts of the environment that are not the same everywhere they are known."""
    known = [side.environment for side in found if side.environment]
    every = {key for environment in known for key in environment}
    return {key for key in every if len({one.get(key, "") for one in known}) > 1}
