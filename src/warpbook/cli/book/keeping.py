"""`warpbook init`, `check` and `backup`: making a book, looking after it, and keeping a copy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import disk_errors, opened
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.codec import encode
from warpbook.core.text import printable
from warpbook.core.units import size

if TYPE_CHECKING:
    from warpbook.book.audit.check import Report


@guarded
def init(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Where; ~/warpbook by default.")
    ] = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Make a new book: its settings, its database and its folders."""
    from warpbook.book.book import Book
    from warpbook.book.folder import DEFAULT

    with disk_errors():
        book = Book.create((folder or DEFAULT).expanduser().absolute())
    book.store.close()
    if json:
        show_json({"book": str(book.folder)})
        return 0
    screen = console()
    screen.print(f"a new book in {printable(str(book.folder))}", style="bold")
    screen.print("its settings are in warpbook.toml; the first experiment:")
    screen.print("  warpbook try mine.py --on softmax --expect 1.2x..1.6x")
    return 0


@guarded
def check(
    expect: Annotated[
        str | None,
        typer.Option(metavar="HASH", help="What an earlier check gave as the log's last hash."),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Verify the book: its file, the chain of its log, rows, receipts, locked predictions."""
    from warpbook.book.audit.check import check as audit
    from warpbook.book.folder import require_book

    folder = require_book(book)
    with disk_errors():
        report = audit(folder, expect)
    if json:
        show_json({"book": str(folder), "clean": report.clean} | encode(report))
    else:
        show_report(console(), folder, report)
    return 0 if report.clean else 1


def show_report(screen: Console, folder: Path, report: "Report") -> None:
    for problem in report.problems:
        screen.print(printable(str(problem)), style="red", soft_wrap=True)
    if report.left_out:
        screen.print(f"and {report.left_out} more", style="red")
    found = "nothing wrong" if report.clean else f"{len(report.problems) + report.left_out} wrong"
    screen.print(printable(f"{folder}: {found}"), style="bold", soft_wrap=True)
    counts = ", ".join(f"{count} {name}" for name, count in report.counts.items() if count)
    screen.print(f"{report.events} events{f'; {counts}' if counts else ''}")
    if report.head:
        screen.print(f"the log ends with {report.head}", style="dim")


@guarded
def backup(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A new file; under backups/ in the book by default."),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Keep a copy of the whole book as one .tar.gz, while others may write to it."""
    from warpbook.book.backup import backup as keep

    with opened(book) as opened_book:
        kept = keep(opened_book, file)
    bytes_kept = kept.stat().st_size
    if json:
        show_json({"file": str(kept), "bytes": bytes_kept})
    else:
        console().print(printable(f"kept {size(bytes_kept)} as {kept}"), soft_wrap=True)
    return 0
