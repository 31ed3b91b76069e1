"""`warpbook bench`: all rungs and peers of the problems in turns, each beside the limit."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.judgements import CLOCKS, FINE, judgement_json, note_lines, time_cell
from warpbook.cli.screen import Progress, console, plain_table, show_json
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Status
from warpbook.core.machine import choose_device
from warpbook.core.receipt import Receipt
from warpbook.core.score import Score, scores
from warpbook.core.units import interval_us, microseconds, multiple, percentage
from warpbook.kernels.library import Outline, find_rung, problem_names, read_outline
from warpbook.kernels.rung import Rung
from warpbook.measure import receipts
from warpbook.measure.budget import Budget
from warpbook.measure.judge import LIMIT_S, Judge
from warpbook.measure.standing import record, slug

if TYPE_CHECKING:
    from warpbook.measure.contest import Limit

BUDGET_S = 480.0
VS_PEER = "vs best peer: its time over the rung's, so that above 1x the rung is faster."
Problems = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PROBLEM]...",
        help="Problems' names or folders; all that come with Warpbook by default.",
        show_default=False,
    ),
]
Into = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where receipts go, a file a problem; results/<device> by default.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Benched:
    """One problem when it is done: its judgements, the limit of each timed workload, and where
    the receipts are, if there was anything to keep."""

    outline: Outline
    device: str
    judgements: list[Judgement]
    limits: dict[str, "Limit"]
    kept: Path | None

    @property
    def status(self) -> int:
        """1 if a rung of our own is not correct; a peer may refuse a workload."""
        own = [j for j in self.judgements if j.rung not in self.outline.peers]
        return 0 if all(j.status in FINE for j in own) else 1


@guarded
def bench(
    problems: Problems = None,
    device: options.Device = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", min=1.0, help="The longest that all of it may take.")
    ] = BUDGET_S,
    into: Into = None,
    limit: options.Limit = LIMIT_S,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Run all rungs and peers of each PROBLEM in turns on its timed workloads."""
    clock = Budget(budget)
    names = problems or problem_names()
    for name in names:
        read_outline(name)
    chosen = choose_device(device)
    if into:
        make_folder(into)
    progress = Progress()
    benched = []
    with Judge(chosen, limit_s=limit, progress=progress) as judge:
        for done in bench_each(judge, progress, clock, names, into):
            benched.append(done)
            if not json:
                show_benched(console(), done)
    if json:
        document = {"device": chosen, "budget_s": budget}
        show_json(document | {"problems": [benched_json(done) for done in benched]})
    return max((done.status for done in benched), default=0)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror}") from None


def bench_each(
    judge: Judge, progress: Progress, budget: Budget, names: list[str], into: Path | None
) -> Iterator[Benched]:
    from warpbook.kernels.shelf import load_problem, outline_of
    from warpbook.measure.contest import Contest, timed_workloads

    loaded = [load_problem(name) for name in names]
    timed = [problem for problem in loaded if timed_workloads(problem, judge.device)]
    for problem in loaded:
        if problem not in timed:
            say(f"{problem.name} has no workload that is timed on {judge.device}")
    budget.expect(sum(len(timed_workloads(problem, judge.device)) for problem in timed))
    with progress:
        progress("the roofs of this device")
        device_name = judge.bench.roofs.environment.get("device", judge.device)
    folder = into or Path("results") / slug(device_name)
    make_folder(folder)
    for problem in timed:
        outline = outline_of(problem)
        rungs = [find_rung(outline, name) for name in outline.rungs]
        with progress, Contest(judge, problem, rungs, budget) as contest:
            judgements = contest.judgements()
        kept = keep(judge, outline, rungs, judgements, folder / f"{outline.name}.jsonl")
        for judgement in judgements:
            if told := record(outline, judgement, own=False):
                say(told)
        yield Benched(outline, judge.device, judgements, contest.limits, kept)


def keep(
    judge: Judge, outline: Outline, rungs: list[Rung], judgements: list[Judgement], path: Path
) -> Path | None:
    """Replaces what an earlier bench kept, unless there is nothing new to say."""
    if all(o.status is Status.SKIPPED for j in judgements for o in j.outcomes):
        return None
    created = datetime.now(UTC).isoformat(timespec="seconds")
    kept = []
    for rung, judgement in zip(rungs, judgements, strict=True):
        played = tuple(outcome.workload for outcome in judgement.outcomes)
        asked = receipts.request(outline, [rung], played, judge.device, judge.warm, judge.limit_s)
        kept.append(Receipt(created, asked, judgement, None, judge.bench.roofs))
    receipts.keep(kept, path)
    return path


def show_benched(screen: Console, done: Benched) -> None:
    for workload, limit in done.limits.items():
        rows = scores(done.judgements, workload, done.outline.peers)
        floor = next((row.outcome.floor for row in rows if row.outcome.floor), None)
        screen.print(f"{done.outline.name} {workload} on {done.device}", style="bold")
        screen.print(limit_line(limit) + (f"; floor: {microseconds(floor.us)}" if floor else ""))
        if any(row.time_us for row in rows):
            show_scores(screen, rows, done.device)
        for line in reasons(rows):
            screen.print(line)
        screen.print()
    where = f"receipts: {done.kept}" if done.kept else "nothing was measured, and nothing kept"
    screen.print(f"{done.outline.name}: {where}")
    screen.print(f"{CLOCKS[done.device]} {VS_PEER}", style="dim")
    screen.print()


def limit_line(limit: "Limit") -> str:
    if limit.timing is None:
        return f"limit: none, {limit.reason}"
    t = limit.timing
    time = (
        interval_us(t.median_us, t.low_us, t.high_us) if t.samples_us else microseconds(t.median_us)
    )
    return f"limit: {time} by {limit.by}"


def show_scores(screen: Console, rows: list[Score], device: str) -> None:
    table = plain_table()
    table.add_column("rung", no_wrap=True)
    table.add_column(f"{'time' if device == 'cpu' else 'device'} (interval)", no_wrap=True)
    for column in ("of limit", "of floor", "vs best peer", "rounds"):
        table.add_column(column, justify="right")
    for row in rows:
        outcome = row.outcome
        table.add_row(
            row.rung,
            time_cell(outcome.device) if outcome.device else outcome.status.value,
            percentage(outcome.of_limit),
            percentage(outcome.fraction),
            multiple(row.over_peer),
            str(outcome.rounds),
        )
    screen.print(table)


def reasons(rows: list[Score]) -> list[str]:
    """Why rungs have no time, and what is to be known of the others; those of whom the same is
    said share a line."""
    grouped: dict[str, list[str]] = {}
    for row in rows:
        outcome = row.outcome
        if outcome.reason:
            grouped.setdefault(f"{outcome.status}: {outcome.reason}", []).append(row.rung)
        for note in note_lines([outcome]):
            grouped.setdefault(note.partition(": ")[2], []).append(row.rung)
    return [f"{', '.join(rungs)}: {line}" for line, rungs in grouped.items()]


def benched_json(done: Benched) -> dict[str, Any]:
    return {
        "problem": done.outline.name,
        "peers": done.outline.peers,
        "limits": done.limits,
        "judgements": [
            judgement_json(judgement)
            | {"of_limit": {o.workload: o.of_limit for o in judgement.outcomes}}
            for judgement in done.judgements
        ],
        "kept": str(done.kept) if done.kept else None,
    }
