"""A hypothesis at a glance: its runs, its predictions, what comes next, what to expect again."""

import math
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.evaluation import counted_runs
from warpbook.book.statistics.shrink import expected_again
from warpbook.book.statistics.verdict import LEAST_RUNS, Verdict
from warpbook.book.tables import Campaign, Experiment, Hypothesis, Prediction, Run

WAITING = ("running", "queued", "held")


@dataclass(frozen=True)
class Summary:
    """`runs` are those its evidence counts, `others` are valid runs in other environments.
    `again` is the gain expected if it were measured afresh, with its 95% interval."""

    hypothesis: Hypothesis
    campaign: Campaign
    runs: list[Run]
    others: int
    experiments: list[Experiment]
    predictions: list[Prediction]
    next: Experiment | None
    needs: str
    again: tuple[float, float, float] | None


def summary_of(session: Session, hypothesis: Hypothesis) -> Summary:
    counted = counted_runs(session, [hypothesis.id]).get(hypothesis.id, [])
    current = [run.id for run in counted if run.environment_key == hypothesis.environment_key]
    experiments = session.scalars(
        select(Experiment)
        .join(Prediction, Prediction.experiment_id == Experiment.id)
        .where(Prediction.hypothesis_id == hypothesis.id)
        .order_by(Experiment.id)
    ).all()
    predictions = session.scalars(
        select(Prediction).where(Prediction.hypothesis_id == hypothesis.id).order_by(Prediction.id)
    ).all()
    runs = session.scalars(select(Run).where(Run.id.in_(current)).order_by(Run.id)).all()
    waiting = [e for state in WAITING for e in experiments if e.state == state]
    return Summary(
        hypothesis,
        session.get_one(Campaign, hypothesis.campaign_id),
        [*runs],
        len(counted) - len(current),
        [*experiments],
        [*predictions],
        waiting[0] if waiting else None,
        needs(hypothesis),
        again(session, hypothesis),
    )


def needs(hypothesis: Hypothesis) -> str:
    if hypothesis.state == "withdrawn":
        return "withdrawn"
    if hypothesis.verdict != Verdict.OPEN:
        return f"decided with {hypothesis.runs} runs"
    more = hypothesis.runs_to_decide
    if more is not None:
        return f"needs about {more} more run{'s' * (more != 1)} to decide"
    if hypothesis.runs >= LEAST_RUNS:
        return "too close to its least effect: 200 more runs would not decide it"
    return f"needs at least {LEAST_RUNS - hypothesis.runs} more runs"


def again(session: Session, hypothesis: Hypothesis) -> tuple[float, float, float] | None:
    """Shrunk toward the effects that its campaign's hypotheses show on the same metric."""
    if hypothesis.estimate is None or hypothesis.sigma is None:
        return None
    rows = session.execute(
        select(Hypothesis.metric, Hypothesis.estimate, Hypothesis.sigma, Hypothesis.runs).where(
            Hypothesis.campaign_id == hypothesis.campaign_id, Hypothesis.runs > 0
        )
    )
    alike = [row for row in rows if row.metric == hypothesis.metric and row.sigma is not None]
    errors = [row.sigma / math.sqrt(row.runs) for row in alike]
    own = hypothesis.sigma / math.sqrt(hypothesis.runs)
    return expected_again(hypothesis.estimate, own, [row.estimate for row in alike], errors)
