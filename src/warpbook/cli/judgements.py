"""Judgements as people read them: a heading, a line a workload, then what is worth a note."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from warpbook.cli.screen import plain_table
from warpbook.core.codec import encode
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.units import UNKNOWN, interval_us, microseconds, multiple, percentage

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem

FINE = (Status.CORRECT, Status.SKIPPED)
STYLES = {Status.CORRECT: "green", Status.SKIPPED: "dim"}
MOST_LINES = 4
CLOCKS = {
    "cpu": "On the CPU there is one clock: from the call until all its threads are idle.",
    "cuda": "device: first kernel start to last kernel end; call: the host's clock.",
}
RETURNS = {"out": "fills a buffer", "new": "returns a new tensor", "in place": "works in place"}


def exit_status(judgements: Iterable[Judgement]) -> int:
    """1 if any rung is not correct; one that is skipped says nothing against itself."""
    return 0 if all(j.status in FINE for j in judgements) else 1


def show_judgement(screen: Console, problem: "Problem", judgement: Judgement, title: str) -> None:
    screen.print(f"{judgement.problem} {judgement.rung}: ", end="", style="bold")
    screen.print(judgement.status, end="", style=STYLES.get(judgement.status, "red"))
    screen.print(f"  ({title}; {RETURNS.get(judgement.returns, judgement.returns)})")
    catching = {w.name for w in problem.workloads if not w.timed}
    caught = [o for o in judgement.outcomes if o.workload in catching]
    others = [o for o in judgement.outcomes if o.workload not in catching]
    if any(o.workload for o in others):
        screen.print(outcome_table(judgement.device, [o for o in others if o.workload]))
    for line in [*catch_lines(caught), *reason_lines(others), *note_lines(judgement.outcomes)]:
        screen.print(line)
    screen.print()


def legend(device: str) -> str:
    return (
        "error: a multiple of the plain reference's own (and the multiple that is still right). "
        f"{CLOCKS[device]}"
    )


def outcome_table(device: str, outcomes: list[Outcome]) -> Table:
    table = plain_table()
    table.add_column("workload", no_wrap=True)
    table.add_column("status")
    table.add_column("error")
    table.add_column(f"{'time' if device == 'cpu' else 'device'} (interval)", no_wrap=True)
    if device != "cpu":
        table.add_column("call")
    table.add_column("floor")
    table.add_column("of\nfloor", justify="right")
    table.add_column("left")
    for outcome in outcomes:
        table.add_row(*outcome_cells(device, outcome))
    return table


def outcome_cells(device: str, outcome: Outcome) -> list[str]:
    floor = outcome.floor
    cells = [
        outcome.workload,
        outcome.status.value,
        error_cell(outcome),
        time_cell(outcome.device),
    ]
    if device != "cpu":
        cells.append(microseconds(outcome.call.median_us if outcome.call else None))
    return [
        *cells,
        f"{microseconds(floor.us)} {floor.binds}" if floor else UNKNOWN,
        percentage(outcome.fraction),
        microseconds(outcome.left_us),
    ]


def error_cell(outcome: Outcome) -> str:
    if outcome.error is None or outcome.budget is None:
        return UNKNOWN
    return f"{multiple(outcome.error)} ({outcome.budget:.2g}x)"


def time_cell(timing: Timing | None) -> str:
    if timing is None:
        return UNKNOWN
    return interval_us(timing.median_us, timing.low_us, timing.high_us)


def catch_lines(caught: list[Outcome]) -> list[str]:
    if not caught:
        return []
    bad = [o for o in caught if o.status not in FINE]
    skipped = [o for o in caught if o.status is Status.SKIPPED]
    right = len(caught) - len(bad) - len(skipped)
    many = len(caught) > 1
    count = f"{len(caught)} {'workloads that exist' if many else 'workload that exists'}"
    count += " to catch mistakes"
    if not bad and not skipped:
        return [f"{count}: all right"]
    counts = [(right, "right"), (len(bad), "not"), (len(skipped), "skipped")]
    summary = ", ".join(f"{n} {word}" for n, word in counts if n)
    return [f"{count}: {summary}", *reason_lines([*bad, *skipped])]


def reason_lines(outcomes: Iterable[Outcome]) -> list[str]:
    """What is not correct and why, for a few; workloads with the same reason share a line."""
    grouped: dict[tuple[Status, str], list[str]] = {}
    for outcome in outcomes:
        if outcome.status is not Status.CORRECT:
            grouped.setdefault((outcome.status, outcome.reason), []).append(outcome.workload)
    lines = [
        f"{status}{on(workloads)}: {reason}" for (status, reason), workloads in grouped.items()
    ]
    rest = sum(len(workloads) for workloads in list(grouped.values())[MOST_LINES:])
    return [*lines[:MOST_LINES], *([f"and on {rest} more"] if rest else [])]


def note_lines(outcomes: Iterable[Outcome]) -> list[str]:
    grouped: dict[str, list[str]] = {}
    for outcome in outcomes:
        for note in outcome.notes:
            grouped.setdefault(note, []).append(outcome.workload)
        if outcome.allocation_us is not None:
            note = f"allocating its output takes {microseconds(outcome.allocation_us)}, not counted"
            grouped.setdefault(note, []).append(outcome.workload)
    return [f"note{on(workloads)}: {note}" for note, workloads in grouped.items()]


def on(workloads: list[str]) -> str:
    named = [name for name in workloads if name]
    if not named:
        return ""
    rest = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f" on {', '.join(named[:3])}{rest}"


def judgement_json(judgement: Judgement) -> dict[str, Any]:
    """All of the judgement, with what the table shows and the record leaves to be derived."""
    document: dict[str, Any] = encode(judgement)
    for encoded, outcome in zip(document["outcomes"], judgement.outcomes, strict=True):
        encoded["left_us"] = outcome.left_us
    return document
