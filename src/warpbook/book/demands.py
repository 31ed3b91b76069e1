"""What people ask of experiments that are there: more runs, a rerun, fresh runs to confirm, noise.

Each is made by appending runs to an experiment; what runs and when is for the queue.
"""

from dataclasses import replace
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book import adding, keys, life, names, queue, sources
from warpbook.book.adding import count
from warpbook.book.collection import Name
from warpbook.book.scoring import is_open
from warpbook.book.store import Write
from warpbook.book.tables import Experiment, Hypothesis, Prediction, Run
from warpbook.core.command import as_it_is_now, changes
from warpbook.core.errors import BadInput
from warpbook.core.run import Plan

FRESH_RUNS = 3


def more(write: Write, experiment: Experiment, runs: int | None) -> None:
    """`runs` more than were wanted; None: as many as its hypotheses are said to need, and fewer
    if the verdict comes first."""
    refuse_unusable(experiment)
    refuse_edited(write.session, experiment)
    made = experiment.runs_valid
    if runs is None:
        wanted = max(experiment.runs_wanted, made + needed(write.session, experiment))
        append(write, experiment, wanted, asked=experiment.runs_asked)
        return
    adding.check_runs(runs)
    waiting = experiment.state in ("queued", "running", "draft")
    wanted = (max(experiment.runs_wanted, made) if waiting else made) + runs
    append(write, experiment, wanted, asked=wanted)


def rerun(write: Write, experiment: Experiment) -> Experiment:
    """Once more, however it ended. Where a file that its commands name was edited, it is another
    experiment, which repeats this one."""
    refuse_held(experiment)
    plan = sources.plan_of(write.session, experiment.plan)
    present = as_it_is_now(plan)
    if present != plan:
        return repeated(write, experiment, present)
    if experiment.state in ("queued", "running"):
        raise BadInput(f"{experiment.name} is {experiment.state} as it is")
    wanted = max(experiment.runs_valid + 1, experiment.runs_asked)
    if experiment.state != "done":
        wanted = max(wanted, experiment.runs_wanted)
    append(write, experiment, wanted, asked=max(experiment.runs_valid + 1, experiment.runs_asked))
    return experiment


def repeated(write: Write, experiment: Experiment, plan: Plan) -> Experiment:
    expected = keys.expected_keys(plan)
    existing = adding.find_alike(write.session, plan, expected[0])
    if existing:
        return rerun(write, existing)
    why = "with the files that its commands name as they are now"
    made = adding.repeat(write, experiment, plan, expected, "draft", why)
    append(write, made, made.runs_wanted, asked=1)
    return made


def confirm(write: Write, hypothesis: Hypothesis) -> Experiment:
    """Fresh runs, which alone a finding about the best of several may quote."""
    experiment = main_experiment(write.session, hypothesis)
    refuse_unusable(experiment)
    refuse_edited(write.session, experiment)
    after = experiment.runs_valid + running(write.session, experiment)
    wanted = after + FRESH_RUNS
    append(write, experiment, wanted, asked=wanted, confirm_after=after)
    return experiment


def noise(write: Write, experiment: Experiment, runs: int) -> Experiment:
    """The baseline of an experiment against itself."""
    refuse_held(experiment)
    refuse_edited(write.session, experiment)
    adding.check_runs(runs)
    plan = sources.plan_of(write.session, experiment.plan)
    twin = replace(plan, change=plan.baseline)
    existing = adding.find_alike(write.session, twin, keys.expected_keys(twin)[0])
    if existing:
        more(write, existing, runs)
        return existing
    title = f"A against A: {adding.title_of(twin)}"
    wish = adding.Wish(campaign=f"C-{experiment.campaign_id}", title=title, runs=runs)
    return adding.add(write, twin, {}, wish)


def append(write: Write, experiment: Experiment, wanted: int, asked: int, **more: Any) -> None:
    before = queue.top(write.session)
    text = f"{experiment.name} is to have {count(wanted)} in all"
    values = {"runs_wanted": wanted, "runs_asked": max(asked, experiment.runs_asked)} | more
    write.set(experiment, "experiment.more", text, **values)
    if experiment.state not in ("queued", "running"):
        adding.into_queue(write, experiment, f"waits for {count(wanted - experiment.runs_valid)}")
    queue.reorder(write, before, f"{write.author} asked for more runs of {experiment.name}")


def needed(session: Session, experiment: Experiment) -> int:
    hypotheses = life.hypotheses_of(session, experiment.id)
    waiting = [h for h in hypotheses if is_open(h)]
    if not waiting:
        raise BadInput(
            f"no open hypothesis needs more runs of {experiment.name}; say how many you want"
        )
    counts = [h.runs_to_decide for h in waiting if h.runs_to_decide is not None]
    if not counts:
        raise BadInput(
            f"{waiting[0].name} is too close to its least effect to say how many runs would "
            "decide it; say how many you want"
        )
    return max(counts)


def main_experiment(session: Session, hypothesis: Hypothesis) -> Experiment:
    """The newest experiment of a hypothesis that can still teach: in its present environment if
    there is one."""
    experiments = session.scalars(
        select(Experiment)
        .join(Prediction, Prediction.experiment_id == Experiment.id)
        .where(
            Prediction.hypothesis_id == hypothesis.id,
            Experiment.state.not_in(("disqualified", "cancelled")),
        )
        .order_by(Experiment.id.desc())
    ).all()
    if not experiments:
        raise BadInput(f"{hypothesis.name} has no experiment yet; add one first")
    current = [e for e in experiments if e.environment_key == hypothesis.environment_key]
    return (current or experiments)[0]


def experiment_for(session: Session, name: Name) -> Experiment:
    """An experiment by its own name or by that of a hypothesis."""
    if isinstance(name, str) and name.strip()[:1].upper() == "H":
        return main_experiment(session, names.get(session, Hypothesis, name))
    return names.get(session, Experiment, name)


def running(session: Session, experiment: Experiment) -> int:
    query = select(func.count()).where(Run.experiment_id == experiment.id, Run.state == "running")
    return session.scalar(query) or 0


def refuse_unusable(experiment: Experiment) -> None:
    refuse_held(experiment)
    if experiment.state == "disqualified":
        raise BadInput(
            f"{experiment.name} is disqualified: {experiment.state_reason}; mend the source, or "
            f"try the same again: warpbook rerun {experiment.name}"
        )


def refuse_edited(session: Session, experiment: Experiment) -> None:
    """Such runs would end as failed: their results are not to be mixed with those there are."""
    plan = sources.plan_of(session, experiment.plan)
    if as_it_is_now(plan) != plan:
        edited = ", ".join(changes(plan, f"since {experiment.name} was made"))
        raise BadInput(
            f"{edited}; to run it as it is now, as an experiment that repeats this one: "
            f"warpbook rerun {experiment.name}"
        )


def refuse_held(experiment: Experiment) -> None:
    if experiment.state == "held" or experiment.imported:
        why = experiment.state_reason if experiment.state == "held" else "it came from another book"
        raise BadInput(
            f"{experiment.name} is held: {why}; look at what it runs and "
            f"release it: warpbook release {experiment.name}"
        )
