"""What a run is expected to cost, from the runs before it."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from warpbook.book.tables import Experiment, Run

# Before any run: a comparison of two small kernels, and a command of a few seconds in 4 blocks.
DEFAULT_S = {"kernel": 60.0, "command": 120.0}
NEWEST = 25
LOOK_BACK = 1000


@dataclass(frozen=True)
class Cost:
    seconds: float
    basis: str


def expected_cost(session: Session, noise_key: str | None, kind: str, device: str) -> Cost:
    alike = seconds_of(session, noise_key) if noise_key else []
    if alike:
        return Cost(median(alike), f"median of {len(alike)} runs of this workload here")
    recent = (
        select(Run.seconds, Run.experiment_id)
        .where(Run.state == "valid")
        .order_by(Run.id.desc())
        .limit(LOOK_BACK)
        .subquery()
    )
    near = session.scalars(
        select(recent.c.seconds)
        .join(Experiment, Experiment.id == recent.c.experiment_id)
        .where(Experiment.kind == kind, Experiment.device == device)
        .limit(NEWEST)
    ).all()
    if near:
        return Cost(median(near), f"median of {len(near)} {kind} runs on {device}")
    return Cost(DEFAULT_S.get(kind, DEFAULT_S["command"]), "a guess: there are no such runs yet")


def relearn(session: Session, noise_key: str) -> bool:
    """Bring the waiting experiments of a workload to its newest runs; whether any changed."""
    seconds = seconds_of(session, noise_key)
    if not seconds:
        return False
    cost = median(seconds)
    session.flush()
    changed = session.connection().execute(
        update(Experiment.__table__)  # type: ignore[arg-type]
        .where(
            Experiment.noise_key == noise_key,
            Experiment.state.in_(("queued", "running", "held")),
            Experiment.cost_s != cost,
        )
        .values(cost_s=cost, score=Experiment.worth / cost)
    )
    return bool(changed.rowcount)


def seconds_of(session: Session, noise_key: str) -> list[float]:
    rows = session.scalars(
        select(Run.seconds)
        .where(Run.noise_key == noise_key, Run.state == "valid", Run.seconds.is_not(None))
        .order_by(Run.id.desc())
        .limit(NEWEST)
    )
    return [seconds for seconds in rows if seconds is not None]


def median(seconds: Sequence[float | None]) -> float:
    """To two digits, so that one more run seldom moves a whole queue."""
    value = statistics.median([s for s in seconds if s is not None])
    return float(f"{max(value, 0.1):.2g}")


def money_of(seconds: float, price_per_hour: float) -> float:
    return seconds * price_per_hour / 3600
