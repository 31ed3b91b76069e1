"""Verdicts over a campaign, and how many more runs its open hypotheses need.

One query of the stored e-values, one look at all of them; only what changed is written.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.collection import set_many
from warpbook.book.statistics.verdict import (
    Verdict,
    log_threshold,
    runs_to_decide,
    verdicts,
    whole_runs,
)
from warpbook.book.store import Write
from warpbook.book.tables import Hypothesis


@dataclass(frozen=True)
class Flip:
    hypothesis_id: int
    before: str
    after: str


def decide(
    write: Write, campaign_id: int, looked: Collection[int] | None, cause: str
) -> list[Flip]:
    """`looked` are the hypotheses whose own runs changed, None if what happened is the campaign's;
    `cause` says what it was. A verdict of another one flips because of the company it keeps, and
    the event says so."""
    everyone = stored(write.session, campaign_id)
    rows = [row for row in everyone if counts(row)]
    picked = verdicts(
        [row.log_support for row in rows],
        [row.log_refute for row in rows],
        [row.runs for row in rows],
    )
    found = {row.id: verdict for row, verdict in zip(rows, picked, strict=True)}
    flips = []
    for row in everyone:
        verdict = found.get(row.id, Verdict.OPEN)
        if row.verdict == verdict:
            continue
        own = looked is None or row.id in looked
        tell(write, row, verdict, cause if own else f"{cause}, which moves the bar", len(rows))
        flips.append(Flip(row.id, row.verdict, verdict.value))
    changed = [{"row_id": flip.hypothesis_id, "verdict": flip.after} for flip in flips]
    set_many(write.session, Hypothesis, changed)
    return flips


def stored(session: Session, campaign_id: int) -> Sequence[Any]:
    session.flush()
    return session.execute(
        select(
            Hypothesis.id,
            Hypothesis.log_support,
            Hypothesis.log_refute,
            Hypothesis.runs,
            Hypothesis.verdict,
            Hypothesis.state,
        ).where(Hypothesis.campaign_id == campaign_id)
    ).all()


def tell(write: Write, row: Any, verdict: Verdict, why: str, hypotheses: int) -> None:
    name = f"H-{row.id}"
    again = " again" if verdict is Verdict.OPEN else ""
    write.event(
        "verdict.changed",
        name,
        f"{name} is {verdict}{again}: {why}",
        before=row.verdict,
        after=verdict.value,
        log_support=row.log_support,
        log_refute=row.log_refute,
        runs=row.runs,
        hypotheses=hypotheses,
    )


def counts(row: Any) -> bool:
    """A withdrawn one counts if it was looked at."""
    return bool(row.state == "active" or row.runs > 0)


def size(session: Session, campaign_id: int) -> int:
    rows = session.execute(
        select(Hypothesis.state, Hypothesis.runs).where(Hypothesis.campaign_id == campaign_id)
    )
    return sum(counts(row) for row in rows)


def forecast(session: Session, campaign_id: int, only: Collection[int] | None) -> list[int]:
    """Bring `runs_to_decide` of the open hypotheses to their evidence, of all or of some; the ids
    of those that changed."""
    session.flush()
    table = Hypothesis
    rows = session.execute(
        select(
            table.id,
            table.state,
            table.verdict,
            table.runs,
            table.direction,
            table.delta,
            table.estimate,
            table.expected_low,
            table.expected_high,
            table.sigma,
            table.noise_runs,
            table.runs_to_decide,
        ).where(table.campaign_id == campaign_id)
    ).all()
    verdicts_now = [row.verdict for row in rows if counts(row)]
    reach = [
        log_threshold(max(len(verdicts_now), 1), verdicts_now.count(verdict))
        for verdict in (Verdict.SUPPORTED, Verdict.REFUTED)
    ]
    wanted = [row for row in rows if only is None or row.id in only]
    needs = dict.fromkeys([row.id for row in wanted], None) | needed(wanted, reach)
    changed = [row for row in wanted if row.runs_to_decide != needs[row.id]]
    made = [{"row_id": row.id, "runs_to_decide": needs[row.id]} for row in changed]
    set_many(session, table, made)
    return [row.id for row in changed]


def needed(rows: Collection[Any], reach: list[float]) -> dict[int, int | None]:
    """More runs by id, of those that are open and of which anything is expected."""
    able = [row for row in rows if row.verdict == Verdict.OPEN and foreseen(row) is not None]
    if not able:
        return {}
    excess = np.array([(foreseen(row) or 0.0) - row.delta for row in able])
    found = runs_to_decide(
        excess,
        [row.sigma or 0.0 for row in able],
        [row.runs for row in able],
        [row.noise_runs for row in able],
        np.where(excess > 0, *reach),
    )
    return dict(zip([row.id for row in able], whole_runs(found.tolist()), strict=True))


def foreseen(row: Any) -> float | None:
    """The effect as the hypothesis claims it: what was seen, or else what its author expects."""
    gain = row.estimate
    if gain is None and row.expected_low is not None:
        gain = (row.expected_low + row.expected_high) / 2
    return None if gain is None or not math.isfinite(gain) else row.direction * gain
