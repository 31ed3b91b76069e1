"""The nouns `export` and `import`, and their default verbs: a book's contents as one file, and
taking such a file in. Others put verbs of their own on the two."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.nested import defaulting_to
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable
from warpbook.core.units import size

if TYPE_CHECKING:
    from warpbook.book.exchange.imports import Taken

MOST_HELD = 10

export = typer.Typer(
    cls=defaulting_to("book"),
    help="Write the book, or a part of it, for other books, programs and people.",
)
import_ = typer.Typer(
    cls=defaulting_to("book"), help="Take in what other books, programs and people wrote."
)


@export.command("book")
@guarded
def export_book(
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
    from warpbook.book.exchange.export import export as write

    with opened(book) as opened_book:
        manifest = write(opened_book, file, campaign, allow_keys)
    bytes_written = file.expanduser().stat().st_size
    if json:
        show_json({"file": str(file), "bytes": bytes_written, "counts": manifest.counts})
        return 0
    console().print(
        printable(f"{file}: {size(bytes_written)}, {counted(manifest.counts)}"), soft_wrap=True
    )
    return 0


@import_.command("book")
@guarded
def import_book(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What export wrote.", show_default=False)
    ],
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take in what another book exported. Nothing of it runs until you release it."""
    from warpbook.book.exchange.imports import take_in

    with opened(book, author) as opened_book:
        taken = take_in(opened_book, file)
    if json:
        show_json(taken)
    else:
        show_taken(console(), taken)
    return 0


def counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing"


def show_taken(screen: Console, taken: "Taken") -> None:
    screen.print(f"taken in: {counted(taken.added)}", style="bold")
    if any(taken.known.values()):
        screen.print(f"here already: {counted(taken.known)}")
    for old, new in taken.renamed.items():
        screen.print(printable(f"the campaign {old} is called {new} here"))
    if taken.left_out:
        screen.print(f"left out: {taken.left_out} links to what is not here")
    if taken.held:
        named = ", ".join(taken.held[:MOST_HELD])
        more = f" and {len(taken.held) - MOST_HELD} more" if len(taken.held) > MOST_HELD else ""
        screen.print(f"held until you have seen what they run: {named}{more}")
        screen.print(f"look at one and let it run: warpbook release {taken.held[0]}")
