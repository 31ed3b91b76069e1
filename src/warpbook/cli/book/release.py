"""`warpbook release`: letting an imported experiment run, once its code was seen in full."""

import sys
from typing import Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.errors import BadInput
from warpbook.core.text import printable


@guarded
def release(
    name: Annotated[str, typer.Argument(metavar="E-9", help="An experiment.", show_default=False)],
    seen: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The digits that were shown below what it would run."),
    ] = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show all that an imported experiment would run, and let it run once you have seen that."""
    from warpbook.book import documents
    from warpbook.book.experiments import seen_digits

    with opened(book, author) as opened_book:
        if seen is None:
            held = opened_book.experiments.get(name)
            if held.state != "held" and not held.imported:
                raise BadInput(f"{held.name} is not held: it is {held.state}")
            text = opened_book.experiments.release_text(name)
            digits = seen_digits(text)
            how = f"warpbook release {held.name} --seen {digits}"
            if json:
                show_json({"experiment": held.name, "runs": text, "seen": digits, "release": how})
                return 0
            screen = console()
            screen.print(printable(text, lines=True), soft_wrap=True, end="")
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                screen.print(f"that is all it would run; to let it: {how}")
                return 0
            if not typer.confirm(f"That is all {held.name} would run. Let it?"):
                screen.print(f"{held.name} stays held")
                return 1
            seen = digits
        found = opened_book.experiments.release(name, seen)
    if json:
        show_json(documents.experiment(found))
    else:
        then = "work" if found.state == "queued" else f"more {found.name}"
        console().print(f"{found.name} is released and {found.state}; next: warpbook {then}")
    return 0
