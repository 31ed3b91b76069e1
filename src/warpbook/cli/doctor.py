"""`warpbook doctor`: proof, on this machine, that the judge is not fooled."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.screen import Progress, console, plain_table, show_json
from warpbook.measure.device import choose_device

if TYPE_CHECKING:
    from warpbook.measure.doctor import Row


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
    chosen = choose_device(device)
    from warpbook.measure.doctor import run_doctor

    with Progress() as progress:
        rows = run_doctor(chosen, only=only, progress=progress)
    if json:
        show_json(rows)
    else:
        show_rows(console(), rows)
    return 1 if any(row.beaten is False for row in rows) else 0


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
