"""`warpbook why` and `graph`: from a claim down to its samples, and all of it at once."""

from typing import Annotated, Any

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json


@guarded
def why(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="F-7, H-3, E-31 or R-57.", show_default=False)
    ],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Walk from a finding or a claim down to its runs and their raw samples."""
    from warpbook.book.why import why as walk

    with opened(book) as opened_book:
        tree = walk(opened_book, name)
    if json:
        show_json(tree)
    return 0


@guarded
def graph(
    campaign: options.InCampaign = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Give all findings, hypotheses, experiments and runs, and what ties them together."""
    from warpbook.book.graph import graph as whole

    with opened(book) as opened_book:
        found = whole(opened_book, campaign)
    if json:
        show_json(found)
    else:
        show_counts(found)
    return 0


def show_counts(found: dict[str, Any]) -> None:
    screen = console()
    screen.print(f"{len(found['nodes'])} nodes and {len(found['edges'])} edges; --json has them")
