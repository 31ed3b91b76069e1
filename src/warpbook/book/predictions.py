"""Predictions: an 80% interval for each pair of experiment and hypothesis, locked when queued, and
how it came out."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from sqlalchemy import ScalarSelect, func, select
from sqlalchemy.orm import Session

from warpbook.book import names
from warpbook.book.authors import widening
from warpbook.book.collection import Name, check_finite
from warpbook.book.events import now
from warpbook.book.statistics.evidence import evidence
from warpbook.book.statistics.noise import NONE_YET, Noise
from warpbook.book.statistics.prediction import Score, score
from warpbook.book.statistics.verdict import Verdict
from warpbook.book.store import Write
from warpbook.book.tables import Author, Experiment, Hypothesis, Prediction, Run
from warpbook.core.codec import decode
from warpbook.core.effect import Metric, show_interval
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan

Intervals = Mapping[Name, tuple[float, float]]
Foreseen = dict[int, tuple[Hypothesis, float, float]]


def check(session: Session, plan: Plan, given: Intervals) -> Foreseen:
    """Each hypothesis by its id with its interval; BadInput for what cannot be measured so."""
    found: Foreseen = {}
    for name, interval in given.items():
        hypothesis = names.get(session, Hypothesis, name)
        low, high = check_interval(hypothesis.name, interval)
        if hypothesis.id in found:
            raise BadInput(f"{hypothesis.name} has two predictions; give one")
        if hypothesis.state == "withdrawn":
            raise BadInput(f"{hypothesis.name} is withdrawn; state it anew to test it")
        check_metrics(hypothesis, plan)
        found[hypothesis.id] = (hypothesis, low, high)
    if len({hypothesis.campaign_id for hypothesis, _, _ in found.values()}) > 1:
        raise BadInput("the hypotheses are of several campaigns; an experiment is of one")
    if found and plan.baseline.sha256 == plan.change.sha256:
        raise BadInput("both arms are the same: that measures noise, and tells of no hypothesis")
    return found


def check_interval(of: str, interval: tuple[float, float]) -> tuple[float, float]:
    low, high = float(interval[0]), float(interval[1])
    check_finite(f"the prediction for {of}", low, high)
    if low > high:
        raise BadInput(f"the prediction for {of} is upside down: {low:g} lies above {high:g}")
    if low == high:
        raise BadInput(f"the prediction for {of} has no width: give a lower and a higher end")
    return low, high


def check_metrics(hypothesis: Hypothesis, plan: Plan) -> None:
    """The plan measures what the hypothesis and its guards speak of."""
    measured = {metric.name: metric for metric in plan.metrics}
    documents = [hypothesis.metric, *(guard["metric"] for guard in hypothesis.guards)]
    for metric in (decode(Metric, document) for document in documents):
        known = measured.get(metric.name)
        if known is None:
            raise BadInput(
                f"{hypothesis.name} is about {metric.name}, which the experiment does not measure; "
                f"it measures {', '.join(measured)}"
            )
        if (known.better, known.scale) != (metric.better, metric.scale):
            raise BadInput(
                f"{hypothesis.name} has {metric.name} as {metric.better} and {metric.scale}, the "
                f"experiment as {known.better} and {known.scale}; write both alike"
            )


def add(write: Write, experiment: Experiment, foreseen: Foreseen) -> None:
    for hypothesis, low, high in foreseen.values():
        shown = show_interval(low, high, decode(Metric, hypothesis.metric))
        prediction = Prediction(
            experiment_id=experiment.id,
            hypothesis_id=hypothesis.id,
            author=write.author,
            low=low,
            high=high,
        )
        text = f"{{name}}: {write.author} expects {shown} of {hypothesis.name} in {experiment.name}"
        write.add(prediction, "prediction.added", text)


def lock(write: Write, experiment: Experiment) -> None:
    """From here on the file itself refuses to change them."""
    for prediction in of_experiment(write.session, experiment.id):
        if prediction.locked_at is not None:
            continue
        at = now()
        text = f"{prediction.name} of {experiment.name} is locked as {seal(prediction)[:12]}"
        values = {"locked_at": at, "low": prediction.low, "high": prediction.high}
        write.set(prediction, "prediction.locked", text, **values)


def seal(prediction: Prediction) -> str:
    """A hash of what was predicted, of what, and by whom; it holds in any book."""
    names_it = ("uid", "author", "low", "high")
    parts = json.dumps([getattr(prediction, name) for name in names_it])
    return hashlib.sha256(parts.encode()).hexdigest()


def copy(write: Write, source: Experiment, target: Experiment) -> None:
    """For an experiment that goes on in another environment: what was locked stays locked."""
    for prediction in of_experiment(write.session, source.id):
        made = Prediction(
            experiment_id=target.id,
            hypothesis_id=prediction.hypothesis_id,
            author=prediction.author,
            low=prediction.low,
            high=prediction.high,
            locked_at=prediction.locked_at or now(),
        )
        text = f"{{name}} of {target.name} is locked as {prediction.name} of {source.name} was"
        write.add(made, "prediction.locked", text)


def of_experiment(session: Session, number: int) -> list[Prediction]:
    query = select(Prediction).where(Prediction.experiment_id == number).order_by(Prediction.id)
    return [*session.scalars(query)]


def expect(session: Session, hypotheses: list[Hypothesis]) -> None:
    """Bring the interval that belief starts from to the newest prediction."""
    for hypothesis in hypotheses:
        newest = session.scalar(
            select(Prediction)
            .where(Prediction.hypothesis_id == hypothesis.id)
            .order_by(Prediction.id.desc())
            .limit(1)
        )
        if newest is not None:
            hypothesis.expected_low, hypothesis.expected_high = newest.low, newest.high


def newest_prediction() -> ScalarSelect[int]:
    """Of each hypothesis in a query: the one whose author's record widens its belief."""
    mine = Prediction.__table__.alias()
    newest = select(func.max(mine.c.id)).where(mine.c.hypothesis_id == Hypothesis.id)
    return newest.correlate(Hypothesis).scalar_subquery()


def come_out(
    session: Session, experiment: Experiment, runs: list[Run], noises: Mapping[str, Noise]
) -> set[str]:
    """Score the predictions of an experiment by its own runs, or clear them where it has none;
    the authors whose record changed."""
    authors = set()
    for prediction in of_experiment(session, experiment.id):
        hypothesis = session.get_one(Hypothesis, prediction.hypothesis_id)
        name = hypothesis.metric["name"]
        outcome, points = "", None
        seen = [run.gains[name] for run in runs if run.gains]
        if seen:
            gains, errors = zip(*seen, strict=True)
            found = evidence(gains, errors, 0.0, noises.get(name, NONE_YET))
            if found.estimate is not None:
                came = oriented(
                    hypothesis.direction, prediction, found.estimate, found.low, found.high
                )
                outcome, points = came.outcome.value, came.interval_score
        if (outcome, points) != (prediction.outcome, prediction.score):
            authors.add(prediction.author)
        prediction.outcome, prediction.score = outcome, points
    return authors


def oriented(
    direction: int, prediction: Prediction, estimate: float, low: float | None, high: float | None
) -> Score:
    """In the direction that the hypothesis claims, so that over means more was hoped for."""
    ends = sorted((direction * prediction.low, direction * prediction.high))
    if low is not None and high is not None:
        low, high = sorted((direction * low, direction * high))
    return score(ends[0], ends[1], direction * estimate, low, high)


def rewiden(session: Session, authors: Iterable[str]) -> list[int]:
    """Bring the authors' widening to their records; the open hypotheses of those where it
    changed."""
    session.flush()
    changed = []
    for name in authors:
        author = session.get(Author, name)
        wide = widening(session, name)
        if author is not None and wide != author.widen:
            author.widen = wide
            changed.append(name)
    session.flush()
    if not changed:
        return []
    affected = (
        select(Hypothesis.id)
        .join(Prediction, Prediction.id == newest_prediction())
        .where(Prediction.author.in_(changed), Hypothesis.verdict == Verdict.OPEN)
    )
    return [*session.scalars(affected)]
