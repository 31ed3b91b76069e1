"""`warpbook doctor`: proof, on this machine, that the judge is not fooled."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.screen import Progress, console, plain_table, show_json
from warpbook.core.codec import encode
from warpbook.core.errors import BadInput
from warpbook.core.machine import choose_device
from warpbook.core.units import percentage

if TYPE_CHECKING:
    from warpbook.measure.doctor import Row
    from warpbook.measure.noise import NoiseReport


@guarded
def doctor(
    noise: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Compare a rung with itself N times, and with a slower one."
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="NAME", help="One cheat or control alone.")
    ] = None,
    device: options.Device = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Run a corpus of cheats and honest controls through the judge; 1 if any slips through."""
    if noise is not None and only is not None:
        raise BadInput("--noise and --only do not go together")
    chosen = choose_device(device)
    return examine(chosen, only, json) if noise is None else check_noise(chosen, noise, json)


def examine(device: str, only: str | None, json: bool) -> int:
    from warpbook.measure.doctor import run_doctor

    with Progress() as progress:
        rows = run_doctor(device, only=only, progress=progress)
    if json:
        show_json(rows)
    else:
        show_rows(console(), rows)
    return 1 if any(row.beaten is False for row in rows) else 0


def check_noise(device: str, n: int, json: bool) -> int:
    from warpbook.measure.noise import run_noise

    with Progress() as progress:
        report = run_noise(device, n, progress=progress)
    if json:
        show_json(encode(report) | {"holds": report.holds})
    else:
        show_noise(console(), report)
    return 0 if report.holds else 1


def show_rows(screen: Console, rows: "list[Row]") -> None:
    table = plain_table()
    table.add_column("name", no_wrap=True)
    for column in ("what it is", "judged", "result", "why"):
        table.add_column(column)
    for row in rows:
        against = f": {row.time} against {row.control}" if row.control else ""
        style = "red" if row.beaten is False else None
        table.add_row(row.name, row.what, row.judged, row.word, row.why + against, style=style)
    screen.print(table)
    counts = Counter((row.kind, row.word) for row in rows)
    screen.print(", ".join(f"{kind} {word}: {n}" for (kind, word), n in counts.items()))


def show_noise(screen: Console, report: "NoiseReport") -> None:
    alike, slowed = sum(report.alike.values()), sum(report.slowed.values())
    screen.print(
        f"{report.workload} on {report.device}: {'holds' if report.holds else 'does not hold'}",
        style="bold",
    )
    screen.print(
        f"against itself, {alike} comparisons: {report.called_apart} called faster or slower "
        f"(at most {report.most_apart})"
    )
    screen.print(
        f"against one slowed by {percentage(report.slowdown)}, {slowed} comparisons: "
        f"{report.slowed['slower']} called slower (at least {report.least_slower}), "
        f"{report.slowed['faster']} faster (none)"
    )
    if report.refused:
        screen.print(f"{report.refused} comparisons were made again: the machine was busy")
