"""`warpbook measurements`: judgements and comparisons made by hand in the book. Never evidence."""

from typing import Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import page_note, table, when
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json


@guarded
def measurements(
    problem: Annotated[
        str | None, typer.Argument(metavar="PROBLEM", help="Of one problem alone.")
    ] = None,
    limit: options.Limit = 50,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List what was judged and compared by hand inside the book, newest first."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        found = opened_book.measurements.list(problem, limit, offset)
    if json:
        show_json([documents.measurement(one) for one in found])
        return 0
    screen = console()
    rows = [
        (
            one.name,
            when(one.created_at),
            one.kind,
            one.problem,
            " and ".join(one.rungs),
            one.workload,
        )
        for one in found
    ]
    columns = ("id", "when (UTC)", "what", "problem", "rungs", "workload")
    screen.print(table(columns, rows) if rows else "nothing was judged inside this book yet")
    page_note(screen, len(found), limit, offset)
    return 0
