"""`warpbook calibration`: how often each author's predictions hit, and how sharp they are."""

import math

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import table
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.units import UNKNOWN, digits, percentage


@guarded
def calibration(
    book: options.BookFolder = None, json: options.Json = False, debug: options.Debug = False
) -> int:
    """Show each author's record: an 80% interval should hit four times out of five."""
    with opened(book) as opened_book:
        records = opened_book.calibration.by_author()
    if json:
        show_json(records)
        return 0
    rows = [
        (
            record.author,
            str(record.scored),
            percentage(record.hit_rate),
            UNKNOWN if record.sharpness is None else f"{math.exp(record.sharpness):.2f}x",
            UNKNOWN if record.interval_score is None else digits(record.interval_score),
            f"{record.widen:.2f}x" if record.widen > 1 else "not",
        )
        for record in records
    ]
    columns = ("author", "scored", "hit (80%)", "width", "interval score", "widened")
    screen = console()
    screen.print(table(columns, rows, right=columns[1:]))
    screen.print(
        "width: the upper end over the lower one, on average; interval score: less is better; "
        "widening starts after 10 scored",
        style="dim",
    )
    return 0
