"""`warpbook ladder`: every rung of a problem in one table, with what each step gained."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.table import Table

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.judgements import (
    error_cell,
    exit_status,
    judgement_json,
    legend,
    note_lines,
    reason_lines,
    time_cell,
)
from warpbook.cli.screen import console, show_json
from warpbook.cli.session import Asked, Session, open_session
from warpbook.core.judgement import Judgement, Outcome
from warpbook.core.units import microseconds, multiple, percentage
from warpbook.kernels.library import whole_ladder
from warpbook.kernels.rung import Rung


@dataclass(frozen=True)
class Step:
    """One rung with its outcome on the ladder's workload, and the gain over the rung below; no
    gain where either has no time."""

    rung: Rung
    judgement: Judgement
    outcome: Outcome | None
    gain: float | None = None

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
    limit: options.Limit = options.LIMIT_S,
    json: options.Json = False,
    keep: options.Keep = None,
    debug: options.Debug = False,
) -> int:
    """Judge all rungs of PROBLEM and show them in one table."""
    with open_session(Asked(problem, device, warm, limit, keep), whole_ladder) as session:
        name = session.one_workload(workload)
        only = with_catching(session, name)
        judgements = [session.judgement(rung, only) for rung in session.rungs]
        steps = climb(session.rungs, judgements, name)
        if json:
            show_json(ladder_json(session, name, steps))
        else:
            show_ladder(console(), session, name, steps)
    return exit_status(judgements)


def with_catching(session: Session, name: str) -> tuple[str, ...]:
    """A rung has a time only if it makes no mistake, so the workloads that catch one run too."""
    catching = [w.name for w in session.problem.workloads if not w.timed and w.name != name]
    return (*catching, name)


def climb(rungs: list[Rung], judgements: list[Judgement], workload: str) -> list[Step]:
    steps = []
    for rung, judgement in zip(rungs, judgements, strict=True):
        outcome = next((o for o in judgement.outcomes if o.workload == workload), None)
        steps.append(Step(rung, judgement, outcome))
    return steps[:1] + [gained(below, step) for below, step in pairwise(steps)]


def gained(below: Step, step: Step) -> Step:
    if below.time_us is None or step.time_us is None:
        return step
    return replace(step, gain=below.time_us / step.time_us)


def show_ladder(screen: Console, session: Session, workload: str, steps: list[Step]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("rung", no_wrap=True)
    table.add_column("idea")
    table.add_column("error", no_wrap=True)
    table.add_column("time (interval)", no_wrap=True)
    table.add_column("of floor", justify="right")
    table.add_column("gain", justify="right")
    table.add_column("expected", justify="right")
    for step in steps:
        table.add_row(*step_cells(step))
    screen.print(f"{session.problem.name} {workload} on {session.device}", style="bold")
    screen.print(table)
    floor = next((s.outcome.floor for s in steps if s.outcome and s.outcome.floor), None)
    if floor:
        screen.print(f"floor: {microseconds(floor.us)}, set by {floor.binds}")
    for step in steps:
        for line in step_lines(step):
            screen.print(f"{step.rung.name}: {line}")
    screen.print(legend(session.device), style="dim")


def step_cells(step: Step) -> list[str]:
    outcome = step.outcome
    timed = outcome and outcome.device
    return [
        step.rung.name,
        step.rung.title,
        error_cell(worst(step.judgement)),
        time_cell(timed) if timed else f"{step.judgement.status}, no time",
        percentage(outcome.fraction if outcome else None),
        multiple(step.gain),
        multiple(step.rung.expected_gain),
    ]


def worst(judgement: Judgement) -> Outcome | None:
    """The outcome that comes nearest to its error budget, or goes furthest beyond it."""
    known = [(o.error / o.budget, o) for o in judgement.outcomes if o.error and o.budget]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def step_lines(step: Step) -> list[str]:
    """Why a rung has no time, or what is to be known of the one it has."""
    if step.time_us is None:
        return reason_lines(step.judgement.outcomes)
    return note_lines([step.outcome] if step.outcome else [])


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
                "gain": step.gain,
                "expected_gain": step.rung.expected_gain,
                "judgement": judgement_json(step.judgement),
            }
            for step in steps
        ],
    }
