"""Scores of experiments: what a run would teach of their hypotheses, for each second it takes.

Touches the experiments it is told of and no others, all at once.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from warpbook.book.collection import set_many
from warpbook.book.tables import Experiment, Hypothesis, Prediction
from warpbook.book.verdict import Verdict
from warpbook.book.worth import EXPLORATORY, worth

WAITING = ("queued", "running", "held")


def rescore_hypotheses(session: Session, ids: Collection[int]) -> None:
    """The waiting experiments of these hypotheses."""
    of_them = select(Prediction.experiment_id).where(Prediction.hypothesis_id.in_(ids))
    rescore(session, Experiment.id.in_(of_them))


def rescore_experiment(session: Session, number: int) -> None:
    rescore(session, Experiment.id == number)


def rescore(session: Session, which: ColumnElement[bool]) -> None:
    session.flush()
    found = session.execute(
        select(
            Experiment.id,
            Experiment.cost_s,
            Experiment.worth,
            Experiment.score,
            Hypothesis.id.label("hypothesis"),
            Hypothesis.drop_bits,
            Hypothesis.runs_to_decide,
            Hypothesis.verdict,
            Hypothesis.state,
        )
        .outerjoin(Prediction, Prediction.experiment_id == Experiment.id)
        .outerjoin(Hypothesis, Hypothesis.id == Prediction.hypothesis_id)
        .where(which, Experiment.state.in_(WAITING))
        .order_by(Experiment.id)
    )
    pairs: Sequence[Any] = found.all()
    if pairs:
        set_many(session, Experiment, changed_scores(pairs))


def changed_scores(pairs: Sequence[Any]) -> list[dict[str, Any]]:
    ids = np.array([pair.id for pair in pairs])
    experiments, first, place = np.unique(ids, return_index=True, return_inverse=True)
    totals = np.bincount(place, weights=worths(pairs))
    waiting = np.bincount(place, weights=[is_open(pair) for pair in pairs])
    # Nobody's verdict waits for it, and yet somebody asked.
    totals = np.where(waiting > 0, totals, EXPLORATORY)
    found = []
    for number, at, bits in zip(experiments.tolist(), first.tolist(), totals.tolist(), strict=True):
        pair = pairs[at]
        score = bits / pair.cost_s
        if bits != pair.worth or score != pair.score:
            found.append({"row_id": number, "worth": bits, "score": score})
    return found


def worths(pairs: Sequence[Any]) -> list[float]:
    needed = [pair.runs_to_decide or math.inf for pair in pairs]
    drops = [pair.drop_bits or 0.0 for pair in pairs]
    closed = [not is_open(pair) for pair in pairs]
    bits: list[float] = worth(drops, needed, closed).tolist()
    return bits


def is_open(row: Any) -> bool:
    """Of a hypothesis, or a row with its state and verdict."""
    return bool(row.state == "active" and row.verdict == Verdict.OPEN)
