"""Experiments: plans with two arms, their predictions, and what people do with them."""

import builtins
import hashlib

from sqlalchemy import select

from warpbook.book import adding, demands, evaluation, life, names, predictions, queue, sources
from warpbook.book.adding import Duplicate, Wish
from warpbook.book.campaigns import INBOX, find
from warpbook.book.collection import Collection, Name, check_page, contains
from warpbook.book.predictions import Intervals
from warpbook.book.tables import Experiment, Hypothesis, Prediction, Run
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan

__all__ = ["Duplicate", "Experiments"]

ENDED = ("done", "disqualified", "failed", "moot")
STATES = ("draft", "held", "queued", "running", *ENDED, "cancelled")
SEEN_DIGITS = 12


class Experiments(Collection):
    def add(
        self,
        plan: Plan,
        predictions: Intervals | None = None,
        campaign: Name = INBOX,
        title: str = "",
        runs: int = 3,
        queue: bool = True,
        pinned: bool = False,
        priority: int = 0,
        repeats: Name | None = None,
    ) -> Experiment:
        """`predictions` are 80% intervals as gains by hypothesis. In the queue they are locked."""
        wish = Wish(campaign, title, runs, queue, pinned, priority, repeats)
        with self.writing() as write:
            return adding.add(write, plan, predictions or {}, wish)

    def get(self, name: Name) -> Experiment:
        with self.reading() as session:
            return names.get(session, Experiment, name)

    def list(
        self,
        campaign: Name | None = None,
        state: str | None = None,
        search: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[Experiment]:
        """The newest first. `search` looks in titles."""
        check_page(limit, offset)
        query = select(Experiment).order_by(Experiment.id.desc()).limit(limit).offset(offset)
        if state is not None:
            if state not in STATES:
                raise BadInput(f"no state {state!r}: {', '.join(STATES)}")
            query = query.where(Experiment.state == state)
        if search:
            like = Experiment.title.like(contains(search), escape="\\")
            # By the index of titles alone, which is far smaller than the rows.
            query = query.where(Experiment.id.in_(select(Experiment.id).where(like)))
        with self.reading() as session:
            if campaign is not None:
                query = query.where(Experiment.campaign_id == find(session, campaign).id)
            return [*session.scalars(query)]

    def plan(self, name: Name) -> Plan:
        """With the texts of its arms."""
        with self.reading() as session:
            return sources.plan_of(session, names.get(session, Experiment, name).plan)

    def predictions(self, name: Name) -> builtins.list[Prediction]:
        with self.reading() as session:
            return predictions.of_experiment(session, names.get(session, Experiment, name).id)

    def predict(self, name: Name, hypothesis: Name, low: float, high: float) -> Prediction:
        """Change the prediction of one that is not queued yet."""
        with self.writing() as write:
            experiment = names.get(write.session, Experiment, name)
            claim = names.get(write.session, Hypothesis, hypothesis)
            found = predictions.of_experiment(write.session, experiment.id)
            prediction = next((p for p in found if p.hypothesis_id == claim.id), None)
            if prediction is None:
                raise BadInput(f"{experiment.name} has no prediction for {claim.name}")
            low, high = predictions.check_interval(claim.name, (low, high))
            if prediction.locked_at is not None:
                raise BadInput(f"{prediction.name} is locked since {prediction.locked_at}")
            text = f"{prediction.name} of {experiment.name} is changed"
            before = queue.top(write.session)
            write.set(prediction, "prediction.changed", text, low=low, high=high)
            predictions.expect(write.session, [claim])
            evaluation.evaluate(write, [claim.id], text)
            queue.reorder(write, before, text)
            return prediction

    def queue(self, name: Name) -> Experiment:
        """One that is not in the queue yet, or no longer. Locks its predictions."""
        with self.writing() as write:
            experiment = names.get(write.session, Experiment, name)
            demands.refuse_unusable(experiment)
            if experiment.state in ("queued", "running"):
                return experiment
            demands.refuse_edited(write.session, experiment)
            left = experiment.runs_wanted - experiment.runs_valid
            if left <= 0:
                raise BadInput(
                    f"all runs of {experiment.name} are made; for more: warpbook more "
                    f"{experiment.name}"
                )
            before = queue.top(write.session)
            adding.into_queue(write, experiment, f"waits for {adding.count(left)}")
            queue.reorder(write, before, f"{experiment.name} was queued")
            return experiment

    def cancel(self, name: Name) -> Experiment:
        with self.writing() as write:
            experiment = names.get(write.session, Experiment, name)
            if experiment.state == "running":
                raise BadInput(f"{experiment.name} is running; stop its run first: warpbook stop")
            if experiment.state in ENDED:
                raise BadInput(f"{experiment.name} is {experiment.state}: nothing of it waits")
            if experiment.state != "cancelled":
                life.end(write, experiment, "cancelled", f"by {write.author}")
            return experiment

    def pin(self, name: Name) -> Experiment:
        return self._place(name, "experiment.pinned", "is pinned", pinned=True)

    def unpin(self, name: Name) -> Experiment:
        return self._place(name, "experiment.unpinned", "is no longer pinned", pinned=False)

    def prioritise(self, name: Name, priority: int) -> Experiment:
        text = f"has priority {priority}"
        return self._place(name, "experiment.prioritised", text, priority=priority)

    def release(self, name: Name, seen: str) -> Experiment:
        """Let an experiment run that came from elsewhere. `seen` are the first 12 digits of the
        hash of what `release_text` shows: proof that somebody looked."""
        with self.writing() as write:
            experiment = names.get(write.session, Experiment, name)
            if experiment.state != "held" and not experiment.imported:
                raise BadInput(f"{experiment.name} is not held: it is {experiment.state}")
            digest = seen_digits(release_text(sources.plan_of(write.session, experiment.plan)))
            if seen.strip().lower() != digest:
                raise BadInput(
                    f"{experiment.name} would run what somebody else wrote: look at all of it "
                    f"with `warpbook release {experiment.name}`, which shows the code to give"
                )
            before = queue.top(write.session)
            text = f"{write.author} looked at {experiment.name} and releases it"
            ended = experiment.state != "held"
            values = {} if ended else {"state": "draft", "state_reason": ""}
            write.set(experiment, "experiment.released", text, imported=False, **values)
            if ended:
                return experiment
            adding.into_queue(write, experiment, "is released")
            queue.reorder(write, before, f"{experiment.name} was released")
            return experiment

    def release_text(self, name: Name) -> str:
        return release_text(self.plan(name))

    def more(self, name: Name, runs: int | None = None) -> Experiment:
        """More runs of an experiment, or of a hypothesis's. None: as many as are said to decide."""
        with self.writing() as write:
            experiment = demands.experiment_for(write.session, name)
            demands.more(write, experiment, runs)
            return experiment

    def rerun(self, name: Name) -> Experiment:
        with self.writing() as write:
            return demands.rerun(write, names.get(write.session, Experiment, name))

    def confirm(self, hypothesis: Name) -> Experiment:
        with self.writing() as write:
            return demands.confirm(write, names.get(write.session, Hypothesis, hypothesis))

    def noise(self, name: Name, runs: int = 8) -> Experiment:
        with self.writing() as write:
            return demands.noise(write, names.get(write.session, Experiment, name), runs)

    def runs(self, name: Name) -> builtins.list[Run]:
        """All of them, oldest first."""
        with self.reading() as session:
            number = names.get(session, Experiment, name).id
            return [
                *session.scalars(select(Run).where(Run.experiment_id == number).order_by(Run.id))
            ]

    def _place(self, name: Name, kind: str, text: str, **values: int | bool) -> Experiment:
        with self.writing() as write:
            experiment = names.get(write.session, Experiment, name)
            if all(getattr(experiment, column) == value for column, value in values.items()):
                return experiment
            before = queue.top(write.session)
            write.set(experiment, kind, f"{experiment.name} {text}", **values)
            queue.reorder(write, before, f"{experiment.name} {text}")
            return experiment


def release_text(plan: Plan) -> str:
    """All that an experiment would execute, in full."""
    lines = [f"kind: {plan.kind}", f"device: {plan.device}", f"folder: {plan.cwd or '.'}"]
    if plan.problem:
        lines.append(f"problem: {plan.problem} {plan.workload}")
    for side, arm in (("baseline", plan.baseline), ("change", plan.change)):
        lines += arm_lines(side, arm)
    return "\n".join(lines) + "\n"


def arm_lines(side: str, arm: Arm) -> builtins.list[str]:
    lines = [f"{side}: {arm.label}"]
    if arm.rung and arm.text is None and arm.cuda is None:
        lines.append(f"rung: {arm.rung}")
    if arm.command:
        lines.append(f"command: {arm.command}")
    lines += [f"file: {file.path} {file.sha256}" for file in arm.files]
    for name, text in (("python", arm.text), ("cuda", arm.cuda)):
        if text is not None:
            lines += [f"{name} of {arm.rung}:", text]
    return lines


def seen_digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:SEEN_DIGITS]
