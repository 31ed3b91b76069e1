"""`warpbook roofs`: what this device reaches at best, beside what it cannot exceed."""

from typing import Annotated

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.screen import Progress, console, plain_table, show_json
from warpbook.core.machine import choose_device
from warpbook.core.roofs import Roofs
from warpbook.core.units import UNKNOWN, bandwidth, microseconds, percentage, rate


@guarded
def roofs(
    device: options.Device = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure again, even where kept roofs fit.")
    ] = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Measure what this device reaches: bandwidths, matrix rates and the cost of a launch."""
    chosen = choose_device(device)
    from warpbook.measure.roofs import roofs_of

    with Progress() as progress:
        measured = roofs_of(chosen, fresh=fresh, progress=progress, lock=True)
    if json:
        show_json(measured)
    else:
        show_roofs(console(), measured)
    return 0


def show_roofs(screen: Console, roofs: Roofs) -> None:
    table = plain_table()
    table.add_column("roof")
    for column in ("measured", "at most", "reached"):
        table.add_column(column, justify="right")
    peak = roofs.peaks.bytes_per_s
    for name, reached in (
        ("copy", roofs.copy_bytes_per_s),
        ("read", roofs.read_bytes_per_s),
        ("write", roofs.write_bytes_per_s),
    ):
        table.add_row(name, bandwidth(reached), bandwidth(peak), percentage(reached / peak))
    for unit, reached in roofs.rates.items():
        most = roofs.peaks.rates.get(unit)
        table.add_row(
            unit,
            rate(reached),
            rate(most) if most else UNKNOWN,
            percentage(reached / most if most else None),
        )
    table.add_row("empty launch", microseconds(roofs.launch_us), UNKNOWN, UNKNOWN)
    screen.print(roofs.environment.get("device", roofs.device), style="bold")
    screen.print(table)
