"""`warpbook ladder`: every rung of a problem in one table, with what each step gained."""

from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.judgements import (
    CLOCKS,
    FINE,
    exit_status,
    judgement_json,
    note_lines,
    reason_lines,
    time_cell,
)
from warpbook.cli.recording import book_in_use, record_judgements
from warpbook.cli.screen import console, plain_table, show_json
from warpbook.cli.session import Asked, Session, open_session
from warpbook.core.judgement import Judgement, Outcome
from warpbook.core.score import gains
from warpbook.core.units import UNKNOWN, microseconds, multiple, percentage
from warpbook.kernels.library import whole_ladder
from warpbook.kernels.rung import Rung
from warpbook.measure.judge import LIMIT_S


@dataclass(frozen=True)
class Step:
    """One rung with its outcome on the ladder's workload. `gain` and `expected` are over the
    nearest rung below that has a time, whose name is `over`."""

    rung: Rung
    judgement: Judgement
    outcome: Outcome | None
    over: str | None = None
    gain: float | None = None
    expected: float | None = None

    @property
    def time_us(self) -> float | None:
        timing = self.outcome.device if self.outcome else None
        return timing.median_us if timing else None


@guarded
def ladder(
    problem: options.ProblemArgument,
    workload: options.Workload = None,
    device: options.Device = None,
    warm: options.Warm = False,
    limit: options.Limit = LIMIT_S,
    json: options.Json = False,
    keep: options.Keep = None,
    book: options.BookFolder = None,
    debug: options.Debug = False,
) -> int:
    """Judge all rungs of PROBLEM and show them in one table."""
    folder = book_in_use(book)
    with open_session(Asked(problem, device, warm, limit, keep), whole_ladder) as session:
        name = session.one_workload(workload)
        only = with_catching(session, name)
        judgements = [session.judgement(rung, only) for rung in session.rungs]
        steps = climb(session.rungs, judgements, name)
        if json:
            show_json(ladder_json(session, name, steps))
        else:
            show_ladder(console(), session, name, steps)
    record_judgements(folder, session, judgements, (name,), "RUNG", json)
    return exit_status(judgements)


def with_catching(session: Session, name: str) -> tuple[str, ...]:
    """A rung has a time only if it makes no mistake, so the workloads that catch one run too."""
    catching = [w.name for w in session.problem.workloads if not w.timed and w.name != name]
    return (*catching, name)


def climb(rungs: list[Rung], judgements: list[Judgement], workload: str) -> list[Step]:
    steps: list[Step] = []
    for rung, judgement in zip(rungs, judgements, strict=True):
        outcome = next((o for o in judgement.outcomes if o.workload == workload), None)
        steps.append(Step(rung, judgement, outcome))
    found = gains((s.rung.name, s.time_us, s.rung.expected_gain) for s in steps)
    return [
        replace(step, over=one.over, gain=one.gain, expected=one.expected)
        for step, one in zip(steps, found, strict=True)
    ]


def show_ladder(screen: Console, session: Session, workload: str, steps: list[Step]) -> None:
    table = plain_table()
    time = "time" if session.device == "cpu" else "device"
    table.add_column("rung", no_wrap=True)
    table.add_column("idea", min_width=16)
    table.add_column("error", no_wrap=True)
    table.add_column(f"{time} (interval)", no_wrap=True)
    table.add_column("of\nfloor", justify="right")
    table.add_column("gain", justify="right")
    table.add_column("expected", justify="right")
    table.add_column("over", no_wrap=True)
    for step in steps:
        table.add_row(*step_cells(step))
    screen.print(f"{session.problem.name} {workload} on {session.device}", style="bold")
    screen.print(table)
    floor = next((s.outcome.floor for s in steps if s.outcome and s.outcome.floor), None)
    if floor:
        screen.print(f"floor: {microseconds(floor.us)}, set by {floor.binds}")
    for line, names in remarks(steps).items():
        screen.print(f"{', '.join(names)}: {line}")
    explained = "error: the largest on any workload, as a multiple of the plain reference's own. "
    screen.print(explained + CLOCKS[session.device], style="dim")


def step_cells(step: Step) -> list[str]:
    outcome = step.outcome
    timed = outcome and outcome.device
    return [
        step.rung.name,
        step.rung.title,
        multiple(worst_error(step.judgement)),
        time_cell(timed) if timed else f"none ({step.judgement.status})",
        percentage(outcome.fraction if outcome else None),
        multiple(step.gain),
        multiple(step.expected),
        step.over or UNKNOWN,
    ]


def worst_error(judgement: Judgement) -> float | None:
    """Of the outcome that comes nearest to its error budget, or goes furthest beyond it."""
    known = [(o.error / o.budget, o.error) for o in judgement.outcomes if o.error and o.budget]
    return max(known)[1] if known else None


def remarks(steps: list[Step]) -> dict[str, list[str]]:
    """Why rungs have no time, or what is to be known of the ones they have; those of whom the
    same is said share a line."""
    found: dict[str, list[str]] = {}
    for step in steps:
        for line in step_lines(step):
            found.setdefault(line, []).append(step.rung.name)
    return found


def step_lines(step: Step) -> list[str]:
    own = [step.outcome] if step.outcome else []
    if step.time_us is not None:
        return note_lines(own)
    bad = [outcome for outcome in step.judgement.outcomes if outcome.status not in FINE]
    return reason_lines(bad or own or step.judgement.outcomes)


def ladder_json(session: Session, workload: str, steps: list[Step]) -> dict[str, Any]:
    return {
        "problem": session.problem.name,
        "device": session.device,
        "workload": workload,
        "rungs": [
            {
                "rung": step.rung.name,
                "title": step.rung.title,
                "idea": step.rung.idea,
                "language": step.rung.language,
                "time_us": step.time_us,
                "over": step.over,
                "gain": step.gain,
                "expected_gain": step.expected,
                "judgement": judgement_json(step.judgement),
            }
            for step in steps
        ],
    }
