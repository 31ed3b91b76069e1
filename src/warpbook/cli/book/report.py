"""`warpbook report`: a book or a campaign as one HTML file to send to someone."""

from pathlib import Path
from typing import Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable
from warpbook.core.units import size


@guarded
def report(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A new file.")
    ] = Path("report.html"),
    campaign: options.InCampaign = None,
    allow_keys: Annotated[
        bool, typer.Option("--allow-keys", help="Even if something in it looks like a key.")
    ] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write what was claimed and measured as one HTML file, which opens without the dashboard."""
    from warpbook.book.exchange.export import refuse_keys
    from warpbook.book.exchange.secrets import scan
    from warpbook.book.new_file import new_file
    from warpbook.web.report import report as written

    target = output.expanduser().absolute()
    with opened(book) as opened_book, new_file(target) as building:
        text = written(opened_book, campaign)
        if not allow_keys and (keys := scan([(target.name, text)])):
            refuse_keys(keys)
        building.write_text(text, encoding="utf-8")
    length = target.stat().st_size
    if json:
        show_json({"file": str(target), "bytes": length})
        return 0
    console().print(printable(f"{target}: {size(length)}"), soft_wrap=True)
    return 0
