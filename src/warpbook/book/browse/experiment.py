"""One experiment in full: what is claimed and why, what was predicted and measured, its runs, the
source of both arms, and what rests on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book import names
from warpbook.book.browse import arms, run
from warpbook.book.browse.effects import counted
from warpbook.book.browse.experiments import Line, claims, lines
from warpbook.book.browse.lists import cut
from warpbook.book.browse.run import Paper, RunLine, RunView
from warpbook.book.browse.speaking import LONGEST, Tied, tied
from warpbook.book.evaluation import noise_for
from warpbook.book.statistics.noise import NONE_YET, Noise
from warpbook.book.tables import Experiment, Hypothesis, Prediction, Run
from warpbook.core.codec import decode
from warpbook.core.run import Plan

if TYPE_CHECKING:
    from warpbook.book.book import Book

MOST_RUNS = 100
MOST_PAPERS = 6
MOST_REPEATS = 50


@dataclass(frozen=True)
class Detail:
    """`reasons` are by hypothesis. `left` are hypotheses that its runs no longer bear on. `runs`
    are the newest, `papers` the receipts of the newest of those that were measured."""

    line: Line
    plan: Plan
    reasons: Mapping[str, str]
    left: tuple[str, ...]
    runs: tuple[RunLine, ...]
    runs_total: int
    spent_s: float
    spent_money: float
    noise: Noise
    repeats: str
    repeated_by: tuple[str, ...]
    findings: tuple[Tied, ...]
    currency: str
    priority: int
    imported: bool


def detail(book: "Book", name: str) -> Detail:
    with book.reading() as session:
        row = names.get(session, Experiment, name)
        (line,) = lines(session, [row.id])
        line = replace(line, claims=tuple(claims(session, [row.id], LONGEST).get(row.id, ())))
        total, seconds, money = session.execute(
            select(func.count(), func.sum(Run.seconds), func.sum(Run.money)).where(
                Run.experiment_id == row.id
            )
        ).one()
        key = row.noise_key
        return Detail(
            line,
            decode(Plan, row.plan),
            reasons(session, row.id),
            left(session, row),
            newest_runs(session, row.id),
            total,
            seconds or 0.0,
            money or 0.0,
            noise_for(session, key, line.metric.name) if key else NONE_YET,
            f"E-{row.repeats_id}" if row.repeats_id else "",
            repeated_by(session, row.id),
            tied(session, "E", row.id),
            book.settings.currency,
            row.priority,
            row.imported,
        )


def papers(book: "Book", runs: tuple[str, ...]) -> tuple[tuple[str, Paper], ...]:
    """The receipts of some runs."""
    return tuple((name, run.paper(book, name)) for name in runs[:MOST_PAPERS])


def newest(book: "Book", name: str) -> RunView | None:
    """Its last run, whatever became of it."""
    with book.reading() as session:
        row = names.get(session, Experiment, name)
        query = select(func.max(Run.id)).where(Run.experiment_id == row.id)
        last = session.scalar(query)
    return None if last is None else run.view(book, f"R-{last}")


def sources(book: "Book", name: str) -> tuple[arms.Shown, arms.Shown]:
    """Baseline and change."""
    with book.reading() as session:
        row = names.get(session, Experiment, name)
        plan = decode(Plan, row.plan)
        last = session.scalar(
            select(func.max(Run.id)).where(Run.experiment_id == row.id, Run.state != "running")
        )
        of = None if last is None else f"R-{last}"
        capture = run.paper(book, of).capture if of and plan.kind == "command" else {}
        kept = arms.Kept(book, of, capture)
        return (
            arms.shown(session, plan, plan.baseline, kept),
            arms.shown(session, plan, plan.change, kept),
        )


def reasons(session: Session, number: int) -> dict[str, str]:
    rows = session.execute(
        select(Hypothesis.id, cut(Hypothesis.because, LONGEST))
        .join(Prediction, Prediction.hypothesis_id == Hypothesis.id)
        .where(Prediction.experiment_id == number)
    )
    return {f"H-{id_}": because for id_, because in rows}


def left(session: Session, row: Experiment) -> tuple[str, ...]:
    if not row.runs_valid:
        return ()
    found = session.scalars(
        select(Hypothesis.id)
        .join(Prediction, Prediction.hypothesis_id == Hypothesis.id)
        .where(
            Prediction.experiment_id == row.id,
            Hypothesis.environment_key.is_not(None),
            Hypothesis.environment_key != row.environment_key,
        )
        .order_by(Hypothesis.id)
    )
    return tuple(f"H-{number}" for number in found)


def newest_runs(session: Session, number: int) -> tuple[RunLine, ...]:
    """The newest first."""
    good = {one.id for one in counted(session, [number]).get(number, ())}
    rows = session.scalars(
        select(Run).where(Run.experiment_id == number).order_by(Run.id.desc()).limit(MOST_RUNS)
    )
    return tuple(run.line_of(row, row.id in good) for row in rows)


def repeated_by(session: Session, number: int) -> tuple[str, ...]:
    found = session.scalars(
        select(Experiment.id)
        .where(Experiment.repeats_id == number)
        .order_by(Experiment.id)
        .limit(MOST_REPEATS)
    )
    return tuple(f"E-{one}" for one in found)
