"""`warpbook export`, `import` and `release`: a book's contents as one file, and letting what came
with such a file run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, printable, show_json

if TYPE_CHECKING:
    pass


@guarded
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.", show_default=False)],
    campaign: options.InCampaign = None,
    allow_keys: Annotated[
        bool, typer.Option("--allow-keys", help="Even if something in it looks like a key.")
    ] = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write the whole book, or one campaign, into one file that another book takes in."""
    from warpbook.book.export import export as write

    with opened(book) as opened_book:
        write(opened_book, file, campaign=campaign, allow_keys=allow_keys)
    if json:
        show_json({"file": str(file), "bytes": file.stat().st_size})
    else:
        console().print(f"exported to {printable(str(file))}: warpbook import takes it in")
    return 0


@guarded
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What export wrote.", show_default=False)
    ],
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take in what another book exported. Nothing of it runs until you release it."""
    from warpbook.book.imports import take_in

    with opened(book, author) as opened_book:
        taken = take_in(opened_book, file)
    if json:
        show_json(taken)
        return 0
    return 0
