"""What follows from the runs, worked out again and held against what the book has stored.

Derived columns change without events of their own, so this is how an edit of one is seen.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from warpbook.book.decisions import counts
from warpbook.book.evaluation import counted_runs, evidence_of, in_current_environment, noise_for
from warpbook.book.sqlite import connect_read_only
from warpbook.book.statistics.noise import Noise
from warpbook.book.statistics.verdict import Verdict, verdicts
from warpbook.book.tables import Campaign, Hypothesis

TOLERANCE = 1e-9
AT_ONCE = 500


def differences(path: Path) -> Iterator[tuple[str, str]]:
    """Each hypothesis whose stored evidence or verdict is not what its runs make, and how."""
    engine = create_engine("sqlite://", creator=lambda: connect_read_only(path), poolclass=NullPool)
    with Session(engine) as session:
        noises: dict[tuple[str, str], Noise] = {}
        for campaign in session.scalars(select(Campaign.id).order_by(Campaign.id)).all():
            yield from differences_in(session, campaign, noises)
    engine.dispose()


def differences_in(
    session: Session, campaign: int, noises: dict[tuple[str, str], Noise]
) -> Iterator[tuple[str, str]]:
    hypotheses = session.scalars(
        select(Hypothesis).where(Hypothesis.campaign_id == campaign).order_by(Hypothesis.id)
    ).all()
    decided = [h for h in hypotheses if counts(h)]
    found = verdicts(
        [h.log_support for h in decided], [h.log_refute for h in decided], [h.runs for h in decided]
    )
    for hypothesis, verdict in zip(decided, found, strict=True):
        if hypothesis.verdict != verdict:
            yield hypothesis.name, f"is stored as {hypothesis.verdict}; its runs say {verdict}"
    for hypothesis in hypotheses:
        if not counts(hypothesis) and hypothesis.verdict != Verdict.OPEN:
            yield hypothesis.name, f"is stored as {hypothesis.verdict} without runs"
    for start in range(0, len(hypotheses), AT_ONCE):
        yield from wrong_evidence(session, hypotheses[start : start + AT_ONCE], noises)


def wrong_evidence(
    session: Session, hypotheses: Sequence[Hypothesis], noises: dict[tuple[str, str], Noise]
) -> Iterator[tuple[str, str]]:
    runs = counted_runs(session, [h.id for h in hypotheses])
    for hypothesis in hypotheses:
        all_runs = runs.get(hypothesis.id, [])
        current = in_current_environment(all_runs)
        main, support, refute = evidence_of(
            hypothesis, current, noises_for(session, hypothesis, noises)
        )
        sign = hypothesis.direction
        expected = {
            "runs": main.n,
            "log_support": support,
            "log_refute": refute,
            "estimate": None if main.estimate is None else sign * main.estimate,
            "low": oriented(sign, main.low, main.high),
            "high": oriented(sign, main.high, main.low),
            "environment_key": current[-1].environment_key if current else None,
        }
        for name, value in expected.items():
            stored = getattr(hypothesis, name)
            if not same(stored, value):
                yield hypothesis.name, f"{name} is stored as {stored}; its runs make it {value}"


def noises_for(
    session: Session, hypothesis: Hypothesis, known: dict[tuple[str, str], Noise]
) -> dict[str, Noise]:
    key = hypothesis.noise_key
    if not key:
        return {}
    metrics = [hypothesis.metric["name"], *(g["metric"]["name"] for g in hypothesis.guards)]
    for metric in metrics:
        if (key, metric) not in known:
            known[key, metric] = noise_for(session, key, metric)
    return {metric: known[key, metric] for metric in metrics}


def oriented(sign: int, end: float | None, other: float | None) -> float | None:
    """The same end of an interval of gains: for a claim of less they change places."""
    value = end if sign > 0 else other
    return None if value is None else sign * value


def same(stored: Any, value: Any) -> bool:
    if isinstance(stored, float) and isinstance(value, float):
        return math.isclose(stored, value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(stored == value)
