"""Builders for what is in a book: hypotheses, experiments, and runs recorded as the lab records
them, without the lab."""

import hashlib
import math
import secrets
from dataclasses import replace

from warpbook.book import learning, names, run_folder
from warpbook.book.events import now
from warpbook.book.keys import here
from warpbook.book.runs import purpose_of
from warpbook.book.sources import plan_of
from warpbook.book.tables import Experiment, Run
from warpbook.core.effect import Metric, Scale, blocks_gain
from warpbook.core.run import ORDER, Arm, MetricSamples, Plan, RunReceipt, RunStatus

TIME = Metric("time_s", "s")
ACCURACY = Metric("accuracy", "points", "higher", "difference")
DELTA = math.log(1.03)
FAST = math.log(1.3)


def arm(text):
    return Arm(text, hashlib.sha256(text.encode()).hexdigest(), command=f"echo {text}")


def make_plan(change="new", baseline="old", metrics=(TIME,), workload="small", **more):
    """Of a command that needs no device."""
    more = {"device": "none", **more}
    return Plan(
        kind="command",
        workload=workload,
        baseline=arm(baseline),
        change=arm(change),
        metrics=metrics,
        **more,
    )


def samples(metric, gain, error, blocks=4):
    """Of both arms, that make this gain with this error within the run."""
    spread = error * math.sqrt(blocks - 1)
    gains = [gain + (spread if block % 2 else -spread) for block in range(blocks)]
    base = [10.0] * (2 * blocks)
    moved = [metric.sign * gains[i // 2] for i in range(2 * blocks)]
    if metric.scale is Scale.RATIO or metric.scale == "ratio":
        change = [10.0 * math.exp(step) for step in moved]
    else:
        change = [10.0 + step for step in moved]
    found = blocks_gain(base, change, metric)
    return MetricSamples(metric, tuple(base), tuple(change), *found)


class Desk:
    """Works on a book as its users and workers do."""

    def __init__(self, book):
        self.book = book

    def claim(self, text="it is faster", delta=DELTA, metric=TIME, **more):
        return self.book.hypotheses.add(text, metric, delta, **more)

    def experiment(self, *hypotheses, change="new", interval=(0.2, 0.3), plan=None, **more):
        predictions = {hypothesis.name: interval for hypothesis in hypotheses}
        plan = plan or make_plan(change)
        return self.book.experiments.add(plan, predictions, **more)

    def tried(self, change="new", **more):
        """A claim with its experiment in the queue."""
        claim = self.claim(f"{change} is faster", **more)
        return claim, self.experiment(claim, change=change)

    def start(self, experiment):
        """A run of this experiment, out of its turn."""
        with self.book.writing() as write:
            row = names.get(write.session, Experiment, experiment.name)
            run = Run(
                experiment_id=row.id,
                nonce=secrets.token_hex(16),
                state="running",
                purpose=purpose_of(row),
                place="none",
                started_at=now(),
            )
            write.add(run, "run.started", f"{{name}} of {row.name}")
            write.set(row, "experiment.started", f"{row.name} runs", state="running")
            return run

    def receipt(self, run, gain=FAST, error=0.003, status=RunStatus.MEASURED, reason="", **more):
        """As the child leaves it. `more`: other gains by metric, environment, or fields."""
        with self.book.reading() as session:
            plan = plan_of(session, names.get(session, Experiment, run.experiment_id).plan)
        gains = {plan.metrics[0].name: gain, **more.pop("gains", {})}
        measured = status is RunStatus.MEASURED
        found = RunReceipt(
            run=run.name,
            nonce=run.nonce,
            kind=plan.kind,
            status=status,
            reason=reason,
            started=now(),
            ended=now(),
            seconds=more.pop("seconds", 5.0),
            metrics=tuple(samples(m, gains[m.name], error) for m in plan.metrics) * measured,
            order=ORDER,
            plan=plan,
            environment={**here(plan.device), **more.pop("environment", {})},
            capture={},
        )
        return replace(found, **more)

    def record(self, run, receipt, money=0.0):
        folder = self.book.folder / "runs" / run.name
        folder.mkdir(parents=True, exist_ok=True)
        run_folder.place_receipt(folder, receipt)
        digest = hashlib.sha256((folder / run_folder.RECEIPT).read_bytes()).hexdigest()
        with self.book.writing() as write:
            row = names.get(write.session, Run, run.name)
            learning.record(write, self.book.settings, row, receipt, digest, money)
        return self.book.runs.get(run.name)

    def result(self, experiment, gain=FAST, money=0.0, **more):
        """One run from its start to its record."""
        run = self.start(experiment)
        return self.record(run, self.receipt(run, gain, **more), money)

    def results(self, experiment, *gains, **more):
        return [self.result(experiment, gain, **more) for gain in gains]

    def ended(self, experiment, status, reason="the reason"):
        return self.result(experiment, status=status, reason=reason)

    def lines(self, kind):
        return [event.text for event in self.book.log.list(kind=kind, limit=10_000)]
