"""What the valid runs of experiments showed: one effect each, with its 95% interval.

Of the main metric, by the same counting as verdicts. Runs before a disqualified one do not count.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.evaluation import noise_for
from warpbook.book.statistics.evidence import evidence
from warpbook.book.statistics.noise import NONE_YET, Noise
from warpbook.book.tables import Run


@dataclass(frozen=True)
class Effect:
    """`low` and `high` are None where one run is all there is to judge the spread by."""

    gain: float
    low: float | None
    high: float | None
    runs: int


def measured(session: Session, metrics: Mapping[int, str]) -> dict[int, Effect]:
    """By the id of each experiment that has valid runs. `metrics` names the main one of each."""
    noises: dict[tuple[str, str], Noise] = {}
    found = {}
    for number, runs in counted(session, metrics).items():
        key, metric = runs[-1].noise_key or "", metrics[number]
        if (key, metric) not in noises:
            noises[key, metric] = noise_for(session, key, metric) if key else NONE_YET
        noise = noises[key, metric]
        seen = evidence([run.gain for run in runs], [run.error or 0.0 for run in runs], 0.0, noise)
        assert seen.estimate is not None
        found[number] = Effect(seen.estimate, seen.low, seen.high, seen.n)
    return found


def counted(session: Session, ids: Collection[int]) -> dict[int, list[Any]]:
    """The valid runs of each experiment since its last disqualified one."""
    rows = session.execute(
        select(Run.id, Run.experiment_id, Run.state, Run.noise_key, Run.gain, Run.error)
        .where(Run.experiment_id.in_(ids), Run.state.in_(("valid", "disqualified")))
        .order_by(Run.id)
    )
    found: dict[int, list[Any]] = {}
    for row in rows:
        if row.state == "disqualified":
            found.pop(row.experiment_id, None)
        elif row.gain is not None:
            found.setdefault(row.experiment_id, []).append(row)
    return found
