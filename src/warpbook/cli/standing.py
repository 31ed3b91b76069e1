"""Where one's own file stands, in a sentence; and `warpbook standings`, how things stood before."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from warpbook.cli import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, plain_table, show_json
from warpbook.core.standing import Mark, Standing
from warpbook.core.units import interval_us, microseconds, multiple, percentage
from warpbook.kernels.library import Outline, read_outline
from warpbook.measure.recheck import moved
from warpbook.measure.standing import history, store


@guarded
def standings(
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROBLEM]", help="A problem's name or folder; all of them without it."
        ),
    ] = None,
    device_name: Annotated[
        str | None, typer.Option(metavar="SLUG", help="One device alone, such as nvidia-h200.")
    ] = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show how files of your own and the ladder stood: over time, and between devices."""
    marks, warnings = history(outline_for(problem), device_name)
    for line in warnings:
        say(line)
    if json:
        show_json({"store": str(store()), "marks": marks})
    else:
        show_marks(console(), marks)
    return 0


def outline_for(problem: str | None) -> Outline | None:
    if problem is None:
        return None
    outline = read_outline(problem)
    if outline is None:
        from warpbook.kernels.shelf import load_problem, outline_of

        outline = outline_of(load_problem(problem))
    return outline


def show_marks(screen: Console, marks: list[Mark]) -> None:
    if not marks:
        screen.print("nothing was timed yet; `warpbook ladder PROBLEM` gives a ladder its times")
        return
    for (problem, workload), group in groupby(marks, key=lambda m: (m.problem, m.workload)):
        screen.print(f"{problem} {workload}", style="bold")
        screen.print(marks_table(group))
        screen.print()
    kept = f"Every judgement of a file, the latest of each rung; kept in {store()}"
    screen.print(kept, style="dim")


def marks_table(marks: Iterable[Mark]) -> Table:
    table = plain_table()
    for column in ("when (UTC)", "rung or file", "time (interval)"):
        table.add_column(column, no_wrap=True)
    table.add_column("of floor", justify="right")
    table.add_column("device", no_wrap=True)
    for mark in marks:
        table.add_row(
            mark.when[:16].replace("T", " "),
            f"{mark.rung} (file)" if mark.own else mark.rung,
            interval_us(mark.us, mark.low_us, mark.high_us),
            percentage(mark.of_floor),
            mark.device,
        )
    return table


def show_standing(
    screen: Console, problem: str, found: list[Standing], environment: Mapping[str, str]
) -> None:
    """Of the first timed workload; --json has them all."""
    if found:
        screen.print(sentence(problem, found[0], environment))
        screen.print()


def sentence(problem: str, standing: Standing, environment: Mapping[str, str]) -> str:
    if not standing.marks:
        name = standing.workload
        return (
            f"Where it stands on {name} is not known: no rung has a time on this device yet. "
            f"`warpbook ladder {problem} --workload {name}` gives them, `warpbook bench {problem}` "
            "those of every workload."
        )
    parts = [
        f"On {standing.workload} it is {among(standing)}",
        against_torch(standing),
        f"{percentage(standing.of_floor)} of the floor" if standing.of_floor else "",
    ]
    return f"{', '.join(filter(None, parts))}; {above(standing)}. {basis(standing, environment)}"


def among(standing: Standing) -> str:
    total, faster = len(standing.marks), len(standing.faster_than)
    level = [mark.rung for mark in standing.level_with]
    rungs = "the one rung" if total == 1 else f"all {total} rungs"
    if faster == total:
        return f"faster than {rungs}"
    if not faster and not level:
        return f"slower than {rungs}"
    words = [f"faster than {faster or 'none'} of the {total} rungs"] if faster or total > 1 else []
    return ", ".join([*words, *([f"level with {listed(level)}"] if level else [])])


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def against_torch(standing: Standing) -> str:
    torch = standing.torch
    if torch is None:
        return ""
    return f"{multiple(standing.peers[torch.rung])} torch ({torch.rung}, {microseconds(torch.us)})"


def above(standing: Standing) -> str:
    if not standing.slower_than:
        return "none is faster"
    mark = standing.slower_than[0]
    return (
        f"the next rung is {mark.rung} ({microseconds(mark.us)}), whose idea is: {standing.title}"
    )


def basis(standing: Standing, environment: Mapping[str, str]) -> str:
    """Which times it rests on: of when, and what was another then."""
    marks = sorted(standing.marks, key=lambda mark: mark.when)
    first, last = marks[0].when[:10], marks[-1].when[:10]
    when = first if first == last else f"{first} to {last}"
    others = {mark.environment.get("uuid") for mark in marks} - {environment.get("uuid")}
    other = f" on another {environment.get('device')}" if others else ""
    changed = dict.fromkeys(note for mark in marks for note in moved(mark.environment, environment))
    notes = f"; {', '.join(changed)}" if changed else ""
    missing = f"; no time yet: {', '.join(standing.unmeasured)}" if standing.unmeasured else ""
    return f"(The rungs' times are of {when}{other}{notes}{missing}.)"
