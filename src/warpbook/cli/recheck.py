"""`warpbook recheck`: run receipts again and say whether they hold."""

from pathlib import Path
from typing import Annotated

import typer

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.screen import Progress, console, show_json
from warpbook.core.errors import BadInput
from warpbook.measure.receipts import read
from warpbook.measure.recheck import Rechecked, needs_trust
from warpbook.measure.recheck import recheck as run_again


@guarded
def recheck(
    receipt: Annotated[
        Path, typer.Argument(metavar="RECEIPT", help="A file that --keep made.", show_default=False)
    ],
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the source that comes with the receipt.")
    ] = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Run every receipt in a file again; 0 if all of them hold."""
    receipts = read(receipt)
    for number, kept in enumerate(receipts, 1):
        if (why := needs_trust(kept)) and not trust:
            raise BadInput(f"{receipt}:{number}: {why}, which is run only with --trust")
    results = []
    for kept in receipts:
        with Progress() as progress:
            result = run_again(kept, trust, progress)
        results.append(result)
        if not json:
            show(result)
    if json:
        show_json(results)
    return 0 if all(result.holds for result in results) else 1


def show(result: Rechecked) -> None:
    screen = console()
    screen.print(f"{result.what}: {'holds' if result.holds else 'does not hold'}", style="bold")
    for line in (*result.against, *(f"note: {note}" for note in result.notes)):
        screen.print(f"  {line}")
