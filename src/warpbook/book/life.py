"""The life of an experiment: held, queued, running, and how it ends.

Knows states and counts of runs. What the runs showed is for others.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from warpbook.book.events import now
from warpbook.book.scoring import is_open, rescore_experiment
from warpbook.book.store import Write
from warpbook.book.tables import Experiment, Hypothesis, Prediction, Run

INVALID_IN_A_ROW = 3


def enqueue(write: Write, experiment: Experiment, why: str) -> None:
    wait(write, experiment, why)
    rescore_experiment(write.session, experiment.id)
    write.session.refresh(experiment)


def wait(write: Write, experiment: Experiment, why: str) -> None:
    """Into the queue, with the score it last had."""
    text = f"{experiment.name} {why}"
    values = {"state": "queued", "state_reason": "", "queued_at": now()}
    write.set(experiment, "experiment.queued", text, **values)


def end(write: Write, experiment: Experiment, state: str, why: str) -> None:
    text = f"{experiment.name} is {state}" + (f": {why}" if why else "")
    values = {"state": state, "state_reason": why}
    if state == "done" and experiment.confirm_after is not None:
        values["confirm_after"] = None  # type: ignore[assignment]
    write.set(experiment, f"experiment.{state}", text, **values)


def goes_on(write: Write, experiment: Experiment) -> None:
    """After a run that ended well, or left nothing: wait for the next one, or be done."""
    if others_running(write.session, experiment):
        return
    made, wanted = experiment.runs_valid, experiment.runs_wanted
    if made >= wanted:
        end(write, experiment, "done", "")
    elif made >= experiment.runs_asked and not wanted_by_any(write.session, experiment):
        end(write, experiment, "done", "decided before all its runs were made")
    else:
        enqueue(write, experiment, f"waits again: {made} of {wanted} runs made")


def leave(write: Write, experiment: Experiment, target: Experiment) -> None:
    """Its run counts for another experiment, which goes on in the environment there is now."""
    if not others_running(write.session, experiment):
        end(write, experiment, "done", f"goes on as {target.name}, in another environment")


def others_running(session: Session, experiment: Experiment) -> bool:
    session.flush()
    running = select(Run.id).where(Run.experiment_id == experiment.id, Run.state == "running")
    return session.scalar(running.limit(1)) is not None


def wanted_by_any(session: Session, experiment: Experiment) -> bool:
    """Whether a hypothesis of it is open. One without any explores, and is always wanted."""
    hypotheses = hypotheses_of(session, experiment.id)
    return not hypotheses or any(is_open(h) for h in hypotheses)


def hypotheses_of(session: Session, number: int) -> list[Hypothesis]:
    return claims_of(session, [number]).get(number, [])


def claims_of(session: Session, numbers: Sequence[int]) -> dict[int, list[Hypothesis]]:
    """The hypotheses of each experiment, as they are in the file."""
    session.flush()
    rows = session.execute(
        select(Prediction.experiment_id, Hypothesis)
        .join(Hypothesis, Hypothesis.id == Prediction.hypothesis_id)
        .where(Prediction.experiment_id.in_(numbers))
        .order_by(Hypothesis.id)
        .execution_options(populate_existing=True)
    )
    found: dict[int, list[Hypothesis]] = {}
    for number, hypothesis in rows:
        found.setdefault(number, []).append(hypothesis)
    return found


def invalid_in_a_row(session: Session, experiment: Experiment) -> int:
    states = session.scalars(
        select(Run.state)
        .where(Run.experiment_id == experiment.id, Run.state != "running")
        .order_by(Run.id.desc())
        .limit(INVALID_IN_A_ROW)
    ).all()
    return next((n for n, state in enumerate(states) if state != "invalid"), len(states))


def valid_runs(session: Session, experiment: Experiment) -> list[Run]:
    """Since the last disqualified one, for whatever purpose."""
    session.flush()
    last = session.scalar(
        select(func.max(Run.id)).where(
            Run.experiment_id == experiment.id, Run.state == "disqualified"
        )
    )
    runs = select(Run).where(
        Run.experiment_id == experiment.id, Run.state == "valid", Run.id > (last or 0)
    )
    return [*session.scalars(runs.order_by(Run.id))]


def count_valid(session: Session, experiment: Experiment) -> int:
    return len(valid_runs(session, experiment))


def follow_verdicts(write: Write, ids: Collection[int]) -> None:
    """What waits for hypotheses that are all decided or withdrawn is moot; what was moot waits
    again when one of them is open. Scores are the caller's."""
    session = write.session
    session.flush()
    candidates = session.scalars(
        select(Experiment)
        .where(
            Experiment.id.in_(
                select(Prediction.experiment_id).where(Prediction.hypothesis_id.in_(ids))
            ),
            ~Experiment.imported,
            or_(
                Experiment.state.in_(("queued", "moot")),
                (Experiment.state == "done") & (Experiment.runs_valid < Experiment.runs_wanted),
            ),
        )
        .order_by(Experiment.id)
    ).all()
    claims = claims_of(session, [experiment.id for experiment in candidates])
    for experiment in candidates:
        follow(write, experiment, claims.get(experiment.id, []))


def follow(write: Write, experiment: Experiment, hypotheses: list[Hypothesis]) -> None:
    if any(is_open(h) for h in hypotheses):
        if experiment.state == "moot" or (
            experiment.state == "done" and not moved(write, experiment)
        ):
            wait(write, experiment, "waits again: " + opened(hypotheses))
    elif experiment.state == "queued" and experiment.runs_valid >= experiment.runs_asked:
        end(write, experiment, "moot", ", ".join(told(h) for h in hypotheses))


def moved(write: Write, experiment: Experiment) -> bool:
    """Whether it goes on as another experiment, in another environment."""
    later = select(Experiment.id).where(Experiment.repeats_id == experiment.id).limit(1)
    return write.session.scalar(later) is not None


def opened(hypotheses: list[Hypothesis]) -> str:
    return ", ".join(f"{h.name} is open" for h in hypotheses if is_open(h))


def told(hypothesis: Hypothesis) -> str:
    state = "withdrawn" if hypothesis.state == "withdrawn" else hypothesis.verdict
    return f"{hypothesis.name} is {state}"
