"""What a result changes: the run, its experiment, the evidence, the verdicts, and the queue.

All of it happens in the caller's transaction, and touches only what the result bears on. How a run
was executed is not known here; its receipt is all there is.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from warpbook.book import adding, costs, evaluation, life, predictions, queue, scoring
from warpbook.book.campaigns import stop_if_spent
from warpbook.book.collection import check_finite
from warpbook.book.events import now
from warpbook.book.folder import Settings
from warpbook.book.keys import noise_key
from warpbook.book.statistics.noise import ENOUGH, Noise
from warpbook.book.store import Write
from warpbook.book.tables import Campaign, Experiment, Hypothesis, Run
from warpbook.core.codec import encode
from warpbook.core.effect import blocks_gain, check_samples, show_gain
from warpbook.core.errors import BadInput
from warpbook.core.run import ORDER, MetricSamples, RunReceipt, RunStatus, environment_key
from warpbook.core.statistics import ratio_interval

Gains = dict[str, tuple[float, float]]
ROUNDING = 1e-6


@dataclass(frozen=True)
class Result:
    """A receipt on its way into the book."""

    receipt: RunReceipt
    sha256: str
    money: float

    @property
    def columns(self) -> dict[str, object]:
        """Of the run, whatever became of it."""
        return {
            "ended_at": now(),
            "seconds": self.receipt.seconds,
            "money": self.money,
            "receipt_sha256": self.sha256,
        }


def record(
    write: Write,
    book_settings: Settings,
    run: Run,
    receipt: RunReceipt,
    receipt_sha256: str,
    money: float,
) -> None:
    """Once for a run. A receipt that was not made by this run, or is not what was planned, is no
    evidence: the first is refused, the second ends the run as failed."""
    if run.state != "running":
        raise BadInput(f"{run.name} is recorded already: it is {run.state}")
    if receipt.run != run.name or receipt.nonce != run.nonce:
        raise BadInput(f"the receipt is of another run than {run.name}; it was not recorded")
    check_finite(f"the time or cost of {run.name}", receipt.seconds, money)
    session = write.session
    result = Result(receipt, receipt_sha256, money)
    experiment = session.get_one(Experiment, run.experiment_id)
    before = queue.top(session)
    cause = take_in(write, run, experiment, result)
    spend(write, experiment, result)
    queue.reorder(write, before, cause, returned=run.experiment_id)
    session.flush()


def take_in(write: Write, run: Run, experiment: Experiment, result: Result) -> str:
    """What happened, as the cause of what changes in the queue."""
    receipt = result.receipt
    if receipt.status is RunStatus.MEASURED:
        try:
            gains = gains_of(experiment, receipt)
        except BadInput as error:
            return failed(write, run, experiment, result, f"refused as evidence: {error}")
        return valid(write, run, experiment, result, gains)
    if receipt.status is RunStatus.DISQUALIFIED:
        return disqualified(write, run, experiment, result)
    if receipt.status is RunStatus.FAILED:
        return failed(write, run, experiment, result, receipt.reason)
    return to_try_again(write, run, experiment, result)


def gains_of(experiment: Experiment, receipt: RunReceipt) -> Gains:
    """Each metric's gain and error, from the samples themselves."""
    plan = receipt.plan
    if (plan.baseline.sha256, plan.change.sha256) != (experiment.a_sha256, experiment.b_sha256):
        raise BadInput("its arms are not the two that were planned")
    if (plan.workload, plan.device) != (experiment.workload, experiment.device):
        raise BadInput("its workload or device is not the one that was planned")
    if receipt.order != ORDER:
        raise BadInput(f"its rounds are in the order {receipt.order!r}, not {ORDER}")
    found: Gains = {}
    planned = {document["name"]: document for document in experiment.plan["metrics"]}
    for samples in receipt.metrics:
        if encode(samples.metric) != planned.get(samples.metric.name):
            raise BadInput(f"its {samples.metric.name} is not a metric as it was planned")
        found[samples.metric.name] = followed(receipt.kind, samples)
    if missing := [name for name in planned if name not in found]:
        raise BadInput(f"it has no samples of {', '.join(missing)} from both arms")
    return found


def followed(kind: str, samples: MetricSamples) -> tuple[float, float]:
    """The gain and error that the receipt states, if they follow from its samples of both arms. A
    comparison of kernels has the judge's own estimate."""
    metric, arms = samples.metric, (samples.baseline, samples.change)
    check_samples((*samples.baseline, *samples.change), metric)
    check_finite(f"the error of {metric.name}", samples.error)
    try:
        if kind == "kernel":
            gain, error = -math.log(ratio_interval(*arms)[0]), samples.error
        else:
            gain, error = blocks_gain(*arms, metric)
    except ValueError as wrong:
        raise BadInput(f"{metric.name}: {wrong}") from None
    if not abs(gain - samples.gain) <= ROUNDING or not abs(error - samples.error) <= ROUNDING:
        raise BadInput(f"its gain of {metric.name} does not follow from its samples")
    return samples.gain, samples.error


def valid(write: Write, run: Run, planned: Experiment, result: Result, gains: Gains) -> str:
    session, receipt = write.session, result.receipt
    key = environment_key(receipt.environment, receipt.plan)
    noise = noise_key(receipt.environment, receipt.plan)
    experiment = at_home(write, planned, key, noise)
    main = receipt.plan.metrics[0]
    gain, error = gains[main.name]
    shown = show_gain(gain, main)
    write.set(
        run,
        "run.valid",
        f"{run.name} of {experiment.name}: {shown} in {main.name}",
        **result.columns,
        state="valid",
        experiment_id=experiment.id,
        environment_key=key,
        noise_key=noise,
        gain=gain,
        error=error,
        gains={name: [*pair] for name, pair in gains.items()},
    )
    experiment.runs_valid = life.count_valid(session, experiment)
    ids = relearn(write, experiment, noise, f"{run.name} showed {shown}")
    costs.relearn(session, noise)
    session.refresh(experiment)
    if planned is not experiment:
        life.leave(write, planned, experiment)
    life.goes_on(write, experiment)
    return f"{run.name} {left(write, ids)}"


def at_home(write: Write, planned: Experiment, key: str, noise: str) -> Experiment:
    """The experiment that a run in this environment belongs to; never one that nobody released.
    Before its first valid run an experiment takes the environment it finds."""
    if planned.environment_key == key:
        return planned
    if planned.runs_valid or life.count_valid(write.session, planned):
        return adding.again(write, planned, key, noise)
    plan = adding.plan_of(write, planned)
    existing = adding.find_alike(write.session, plan, key, released=True)
    if existing:
        return existing
    text = f"{planned.name} runs in another environment than was expected"
    write.set(planned, "experiment.moved", text, environment_key=key, noise_key=noise)
    return planned


def relearn(write: Write, experiment: Experiment, noise: str, cause: str) -> list[int]:
    """Everything that follows from an experiment's runs; the hypotheses it bears on."""
    session = write.session
    if experiment.a_sha256 == experiment.b_sha256:
        return relearn_noise(write, noise, cause)
    ids = [hypothesis.id for hypothesis in life.hypotheses_of(session, experiment.id)]
    authors = come_out(write, experiment)
    believe_anew(write, authors, ids)
    evaluation.evaluate(write, ids, cause)
    return ids


def relearn_noise(write: Write, noise: str, cause: str) -> list[int]:
    """A run of A against A: what rests on this device and workload is weighed again."""
    session = write.session
    ids = [*session.scalars(select(Hypothesis.id).where(Hypothesis.noise_key == noise))]
    authors = set()
    if noise_runs(write, noise) == ENOUGH:
        for experiment in measured_here(write, noise):
            authors |= come_out(write, experiment)
    believe_anew(write, authors, ids)
    if ids:
        evaluation.evaluate(write, ids, f"the noise is known better: {cause}")
    return ids


def measured_here(write: Write, noise: str) -> Sequence[Experiment]:
    return write.session.scalars(
        select(Experiment).where(
            Experiment.noise_key == noise,
            Experiment.runs_valid > 0,
            Experiment.a_sha256 != Experiment.b_sha256,
        )
    ).all()


def noise_runs(write: Write, noise: str) -> int:
    rows = write.session.scalars(
        select(Run.id)
        .where(Run.noise_key == noise, Run.purpose == "noise", Run.state == "valid")
        .limit(ENOUGH + 1)
    )
    return len(rows.all())


def come_out(write: Write, experiment: Experiment) -> set[str]:
    """Score its predictions by its own runs; the authors whose record changed."""
    session = write.session
    runs = life.valid_runs(session, experiment)
    noises: dict[str, Noise] = {}
    for metric in experiment.plan["metrics"]:
        if runs and experiment.noise_key:
            name = metric["name"]
            noises[name] = evaluation.noise_for(session, experiment.noise_key, name)
    return predictions.come_out(session, experiment, runs, noises)


def believe_anew(write: Write, authors: Collection[str], but: Collection[int]) -> None:
    """Where an author's record changed how wide the predictions are taken."""
    ids = set(predictions.rewiden(write.session, sorted(authors))) - set(but)
    if ids:
        evaluation.believe(write.session, ids)
        scoring.rescore_hypotheses(write.session, ids)


def disqualified(write: Write, run: Run, experiment: Experiment, result: Result) -> str:
    session, reason = write.session, result.receipt.reason
    text = f"{run.name} of {experiment.name} is disqualified: {reason}"
    write.set(run, "run.disqualified", text, **result.columns, state="disqualified", reason=reason)
    experiment.runs_valid = life.count_valid(session, experiment)
    life.end(write, experiment, "disqualified", reason)
    relearn(write, experiment, experiment.noise_key or "", f"{run.name} was disqualified")
    return text


def failed(write: Write, run: Run, experiment: Experiment, result: Result, reason: str) -> str:
    text = f"{run.name} of {experiment.name} failed: {reason}"
    write.set(run, "run.failed", text, **result.columns, state="failed", reason=reason)
    if not life.others_running(write.session, experiment):
        life.end(write, experiment, "failed", reason)
    return text


def to_try_again(write: Write, run: Run, experiment: Experiment, result: Result) -> str:
    """The machine was not fit, or somebody stopped the run."""
    state, reason = result.receipt.status.value, result.receipt.reason
    text = f"{run.name} of {experiment.name} is {state}: {reason}"
    write.set(run, f"run.{state}", text, **result.columns, state=state, reason=reason)
    if life.others_running(write.session, experiment):
        return text
    if state == "stopped" and run.stop_asked:
        life.end(write, experiment, "cancelled", f"{run.name} was stopped")
    elif life.invalid_in_a_row(write.session, experiment) >= life.INVALID_IN_A_ROW:
        often = f"the machine was not fit {life.INVALID_IN_A_ROW} times in a row: {reason}"
        life.end(write, experiment, "failed", often)
    else:
        life.enqueue(write, experiment, f"waits again: {run.name} is {state}")
    return text


def spend(write: Write, experiment: Experiment, result: Result) -> None:
    campaign = write.session.get_one(Campaign, experiment.campaign_id)
    campaign.spent_s += result.receipt.seconds
    campaign.spent_money += result.money
    stop_if_spent(write, campaign)


def left(write: Write, ids: Collection[int]) -> str:
    """`left H-3 at 0.52`"""
    rows = write.session.execute(
        select(Hypothesis.id, Hypothesis.belief).where(Hypothesis.id.in_(ids)).limit(3)
    ).all()
    if not rows:
        return "is done"
    return "left " + ", ".join(f"H-{number} at {belief:.2f}" for number, belief in rows)
