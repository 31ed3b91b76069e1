"""Scores of experiments: what a run would teach of their hypotheses, for each second it takes.

Touches the experiments it is told of and no others, all at once.
"""

import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from warpbook.book.collection import set_many
from warpbook.book.statistics.verdict import Verdict
from warpbook.book.statistics.worth import EXPLORATORY, worth
from warpbook.book.tables import Experiment, Hypothesis, Prediction

WAITING = ("queued", "running", "held")


class Pairs(NamedTuple):
    """Columns over pairs of an experiment and a hypothesis, which is None for one without any."""

    experiment: tuple[int, ...]
    cost_s: tuple[float, ...]
    worth: tuple[float, ...]
    score: tuple[float, ...]
    drop_bits: tuple[float | None, ...]
    runs_to_decide: tuple[int | None, ...]
    verdict: tuple[str | None, ...]
    state: tuple[str | None, ...]
    left: tuple[bool | None, ...]  # see `has_left`


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
            Hypothesis.drop_bits,
            Hypothesis.runs_to_decide,
            Hypothesis.verdict,
            Hypothesis.state,
            (Experiment.runs_valid > 0)
            & (Experiment.environment_key != Hypothesis.environment_key),
        )
        .outerjoin(Prediction, Prediction.experiment_id == Experiment.id)
        .outerjoin(Hypothesis, Hypothesis.id == Prediction.hypothesis_id)
        .where(which, Experiment.state.in_(WAITING))
    ).all()
    if found:
        set_many(session, Experiment, changed_scores(Pairs(*zip(*found, strict=True))))


def changed_scores(pairs: Pairs) -> list[dict[str, Any]]:
    numbers, first, place = np.unique(pairs.experiment, return_index=True, return_inverse=True)
    still = np.array(
        [
            state == "active" and verdict == Verdict.OPEN and not left
            for state, verdict, left in zip(pairs.state, pairs.verdict, pairs.left, strict=True)
        ]
    )
    needed = [runs or math.inf for runs in pairs.runs_to_decide]
    bits = worth([drop or 0.0 for drop in pairs.drop_bits], needed, ~still)
    # Where nobody's verdict waits for it, somebody asked all the same.
    total = np.where(
        np.bincount(place, weights=still) > 0, np.bincount(place, weights=bits), EXPLORATORY
    )
    score = total / np.array(pairs.cost_s)[first]
    changed = (total != np.array(pairs.worth)[first]) | (score != np.array(pairs.score)[first])
    columns = (numbers[changed].tolist(), total[changed].tolist(), score[changed].tolist())
    return [
        {"row_id": number, "worth": bits, "score": value}
        for number, bits, value in zip(*columns, strict=True)
    ]


def is_open(row: Any) -> bool:
    """Of a hypothesis, or a row with its state and verdict."""
    return bool(row.state == "active" and row.verdict == Verdict.OPEN)


def has_left(experiment: Experiment, hypothesis: Hypothesis) -> bool:
    """Whether the hypothesis rests on other arms or another environment by now: one more run of
    this experiment would be evidence of nothing new."""
    key = hypothesis.environment_key
    return bool(experiment.runs_valid and key is not None and key != experiment.environment_key)
