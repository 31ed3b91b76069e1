"""What experiments are for: their hypotheses, each with its belief and what was predicted."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.browse.lists import cut
from warpbook.book.tables import Hypothesis, Prediction
from warpbook.core.codec import decode
from warpbook.core.effect import Metric

LONGEST = 400


@dataclass(frozen=True)
class Claim:
    """`low` and `high` are the predicted interval, as gains of `metric`."""

    name: str
    text: str
    verdict: str
    belief: float
    metric: Metric
    low: float
    high: float


def claims(session: Session, experiments: Sequence[int]) -> dict[int, tuple[Claim, ...]]:
    """By the number of the experiment; those that explore have none."""
    rows = session.execute(
        select(
            *(Prediction.experiment_id, Prediction.low, Prediction.high, Hypothesis.id),
            *(Hypothesis.verdict, Hypothesis.belief, Hypothesis.metric),
            cut(Hypothesis.claim, LONGEST).label("claim"),
        )
        .join(Hypothesis, Hypothesis.id == Prediction.hypothesis_id)
        .where(Prediction.experiment_id.in_(experiments))
        .order_by(Hypothesis.id)
    )
    found: dict[int, tuple[Claim, ...]] = {}
    for row in rows:
        claim = Claim(
            *(f"H-{row.id}", row.claim, row.verdict, row.belief),
            *(decode(Metric, row.metric), row.low, row.high),
        )
        found[row.experiment_id] = (*found.get(row.experiment_id, ()), claim)
    return found
