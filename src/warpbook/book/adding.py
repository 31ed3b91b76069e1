"""How an experiment comes into the book: its plan checked, its duplicates found, its texts kept."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book import campaigns, costs, evaluation, life, names, predictions, queue, sources
from warpbook.book.authors import known_author
from warpbook.book.collection import Name
from warpbook.book.events import now
from warpbook.book.keys import expected_keys
from warpbook.book.scoring import rescore_experiment
from warpbook.book.store import Write
from warpbook.book.tables import Experiment
from warpbook.core.errors import BadInput, Taken
from warpbook.core.run import Arm, Plan

KINDS = ("kernel", "command")
DEVICES = ("cpu", "cuda", "none")
LEAST_BLOCKS = 4
MOST_RUNS = 1000


class Duplicate(Taken):
    """`existing` is the experiment that has the same arms, workload and environment."""

    def __init__(self, existing: Experiment) -> None:
        self.existing = existing.name
        state = existing.state
        todo = {
            "held": f"look at it and release it: warpbook release {existing.name}",
            "draft": f"queue it: warpbook experiment queue {existing.name}",
            "cancelled": f"run it after all: warpbook rerun {existing.name}",
            "failed": f"try it again: warpbook rerun {existing.name}",
            "disqualified": "change the source; this one was not correct",
        }.get(
            "held" if existing.imported else state,
            f"for more runs of it: warpbook more {existing.name}",
        )
        super().__init__(
            f"{existing.name} has the same two arms, workload and environment, and is {state}; "
            f"{todo}"
        )


@dataclass(frozen=True)
class Wish:
    """What an experiment is to be, beside its plan and predictions."""

    campaign: Name = campaigns.INBOX
    title: str = ""
    runs: int = 3
    queue: bool = True
    pinned: bool = False
    priority: int = 0
    repeats: Name | None = None


def add(write: Write, plan: Plan, given: predictions.Intervals, wish: Wish) -> Experiment:
    session = write.session
    check_plan(plan)
    check_runs(wish.runs)
    foreseen = predictions.check(session, plan, given)
    environment_key, noise_key = expected_keys(plan)
    existing = find_alike(session, plan, environment_key)
    if existing:
        raise Duplicate(existing)
    home = home_of(session, foreseen, wish.campaign)
    known_author(write)
    before = queue.top(session)
    repeated = repeated_by(session, plan, environment_key, wish.repeats)
    experiment = Experiment(
        campaign_id=home,
        title=wish.title.strip() or title_of(plan),
        **planned(write, plan),
        environment_key=environment_key,
        noise_key=noise_key,
        repeats_id=repeated.id if repeated else None,
        state="draft",
        runs_wanted=wish.runs,
        pinned=wish.pinned,
        priority=wish.priority,
        created_at=now(),
        cost_s=costs.expected_cost(session, noise_key, plan.kind, plan.device).seconds,
    )
    again = f", as {repeated.name} was" if repeated else ""
    write.add(experiment, "experiment.added", f"{{name}}: {experiment.title}{again}")
    predictions.add(write, experiment, foreseen)
    hypotheses = [hypothesis for hypothesis, _, _ in foreseen.values()]
    predictions.expect(session, hypotheses)
    for hypothesis in hypotheses:
        hypothesis.noise_key = hypothesis.noise_key or noise_key
    evaluation.evaluate(write, [*foreseen])
    if wish.queue:
        into_queue(write, experiment, f"waits for {count(wish.runs)}")
    queue.reorder(write, before, f"{experiment.name} was added")
    return experiment


def into_queue(write: Write, experiment: Experiment, why: str) -> None:
    """Its predictions are locked, and what it costs is what is known by now."""
    predictions.lock(write, experiment)
    cost = costs.expected_cost(
        write.session, experiment.noise_key, experiment.kind, experiment.device
    )
    experiment.cost_s = cost.seconds
    life.enqueue(write, experiment, why)


def planned(write: Write, plan: Plan) -> dict[str, Any]:
    """The columns that follow from the plan."""
    return {
        "author": write.author,
        "kind": plan.kind,
        "plan": sources.keep(write, plan),
        "a_sha256": plan.baseline.sha256,
        "b_sha256": plan.change.sha256,
        "workload": plan.workload,
        "device": plan.device,
    }


def plan_of(write: Write, experiment: Experiment) -> Plan:
    return sources.plan_of(write.session, experiment.plan)


def again(write: Write, experiment: Experiment, environment_key: str, noise_key: str) -> Experiment:
    """The experiment as it goes on in another environment: the one that is there, or a new one with
    the same predictions, locked."""
    plan = plan_of(write, experiment)
    existing = find_alike(write.session, plan, environment_key, released=True)
    if existing:
        return existing
    keys = environment_key, noise_key
    return repeat(write, experiment, plan, keys, "running", "in another environment")


def repeat(
    write: Write,
    experiment: Experiment,
    plan: Plan,
    keys: tuple[str | None, str | None],
    state: str,
    why: str,
) -> Experiment:
    made = Experiment(
        campaign_id=experiment.campaign_id,
        title=experiment.title,
        **(planned(write, plan) | {"author": experiment.author}),
        environment_key=keys[0],
        noise_key=keys[1],
        repeats_id=experiment.id,
        state=state,
        runs_wanted=experiment.runs_wanted,
        pinned=experiment.pinned,
        priority=experiment.priority,
        created_at=now(),
        cost_s=experiment.cost_s,
    )
    write.add(made, "experiment.added", f"{{name}} repeats {experiment.name} {why}")
    predictions.copy(write, experiment, made)
    rescore_experiment(write.session, made.id)
    return made


def find_alike(
    session: Session, plan: Plan, environment_key: str | None, released: bool = False
) -> Experiment | None:
    """The newest with the same arms, workload and environment that measures all this one would;
    with `released`, of those that may run."""
    wanted = {metric.name for metric in plan.metrics}
    for experiment in with_arms_of(session, plan):
        if experiment.environment_key != environment_key or (released and experiment.imported):
            continue
        if wanted <= {metric["name"] for metric in experiment.plan["metrics"]}:
            return experiment
    return None


def repeated_by(
    session: Session, plan: Plan, environment_key: str | None, named: Name | None
) -> Experiment | None:
    """The one that is named, or else the newest with the same arms in another environment."""
    if named is not None:
        return names.get(session, Experiment, named)
    known = [one for one in with_arms_of(session, plan) if one.environment_key is not None]
    return next((one for one in known if environment_key not in (None, one.environment_key)), None)


def with_arms_of(session: Session, plan: Plan) -> Sequence[Experiment]:
    """The newest first."""
    return session.scalars(
        select(Experiment)
        .where(
            Experiment.a_sha256 == plan.baseline.sha256,
            Experiment.b_sha256 == plan.change.sha256,
            Experiment.workload == plan.workload,
            Experiment.device == plan.device,
        )
        .order_by(Experiment.id.desc())
    ).all()


def home_of(session: Session, foreseen: Mapping[int, Any], asked: Name) -> int:
    """The campaign: that of its hypotheses, which the one asked for must be unless it is inbox."""
    named = campaigns.find(session, asked)
    home = named
    for hypothesis, _, _ in foreseen.values():
        home = campaigns.find(session, f"C-{hypothesis.campaign_id}")
        if named.id != home.id and named.name != campaigns.INBOX:
            raise BadInput(f"{hypothesis.name} is of the campaign {home.name}, not {named.name}")
    if home.state == "archived":
        raise BadInput(f"the campaign {home.name} is archived; choose another")
    return home.id


def check_plan(plan: Plan) -> None:
    if plan.kind not in KINDS:
        raise BadInput(f"no kind {plan.kind!r} of experiment: {', '.join(KINDS)}")
    if plan.device not in DEVICES:
        raise BadInput(f"no device {plan.device!r}: {', '.join(DEVICES)}")
    if not plan.metrics:
        raise BadInput("an experiment measures at least one metric")
    if len({metric.name for metric in plan.metrics}) < len(plan.metrics):
        raise BadInput("two metrics have one name")
    if plan.blocks < LEAST_BLOCKS:
        raise BadInput(f"{plan.blocks} blocks are too few: give at least {LEAST_BLOCKS}")
    if not (math.isfinite(plan.limit_s) and plan.limit_s > 0):
        raise BadInput(f"a limit of {plan.limit_s} s: give seconds above 0")
    for side in ("baseline", "change"):
        check_arm(side, getattr(plan, side), plan.kind)


def check_arm(side: str, arm: Arm, kind: str) -> None:
    """A number or an earlier run cannot be an arm: it was taken at another time."""
    given = (arm.command if kind == "command" else arm.rung).strip()
    if not given or not arm.sha256:
        raise BadInput(f"the {side} is empty; both arms of an experiment run")
    if re.fullmatch(r"(?i)r-?\d+|[+-]?[\d.]+(e[+-]?\d+)?\s*(x|%|us|ms|s)?", given):
        raise BadInput(
            f"the {side} {given!r} is an earlier result: a baseline runs in turns with the change, "
            "in the same run; give the rung, the file or the command"
        )


def check_runs(runs: int) -> None:
    if not 1 <= runs <= MOST_RUNS:
        raise BadInput(f"{runs} runs: give 1 to {MOST_RUNS}")


def title_of(plan: Plan) -> str:
    words = [f"{plan.change.label} against {plan.baseline.label}"]
    if plan.problem or plan.workload:
        words.append(f"on {' '.join(filter(None, [plan.problem, plan.workload]))}")
    return " ".join(words)


def count(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs} runs"
