"""`warpbook log` and `note`: the running log, followed as it grows, and a line of one's own."""

import json as lines
import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import when
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, show_json
from warpbook.core.errors import WarpbookError
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.book.tables import Event

EVERY_S = 0.5
COMMITS_EVERY_S = 15.0


@guarded
def log(
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what is added, until Ctrl-C.")
    ] = False,
    after: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=options.MOST, help="What came after N, oldest first."),
    ] = None,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Only these: verdict, run, run.valid, note.")
    ] = None,
    about: options.About = None,
    limit: options.Limit = 50,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show the running log: by default its last lines, each with its number, time and author."""
    from warpbook.book import documents

    with opened(book) as opened_book:
        sync_commits(opened_book)
        if after is None:
            shown = opened_book.log.latest(limit, kind, about)
        else:
            shown = opened_book.log.list(after, limit, kind, about)
        if json and not follow:
            show_json([documents.event(event) for event in shown])
            return 0
        screen = console()
        for event in shown:
            show_line(screen, event, json)
        if not (shown or follow):
            screen.print("no such lines in the log")
        if follow:
            last = shown[-1].id if shown else (after or opened_book.log.last())
            follow_on(opened_book, screen, last, kind, about, json)
    return 0


@guarded
def note(
    text: Annotated[str, typer.Argument(metavar="TEXT", show_default=False)],
    about: options.About = None,
    book: options.BookFolder = None,
    author: options.Author = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write a line into the running log."""
    from warpbook.book import documents

    with opened(book, author) as opened_book:
        event = opened_book.log.note(text, about or "")
    if json:
        show_json(documents.event(event))
    else:
        show_event(console(), event)
    return 0


def sync_commits(book: "Book") -> None:
    """Commits of the watched repository become events when somebody looks; a book that can only be
    read, or a repository that is gone, is no reason not to show the log."""
    from warpbook.book.commits import sync

    try:
        sync(book)
    except WarpbookError as error:
        say(f"commits are not in yet: {error}")


def follow_on(
    book: "Book", screen: Console, last: int, kind: str | None, about: str | None, json: bool
) -> None:
    synced = time.monotonic()
    while True:
        time.sleep(EVERY_S)
        if time.monotonic() - synced > COMMITS_EVERY_S:
            sync_commits(book)
            synced = time.monotonic()
        for event in book.log.list(last, 500, kind, about):
            show_line(screen, event, json)
            last = event.id


def show_line(screen: Console, event: "Event", json: bool) -> None:
    if not json:
        show_event(screen, event)
        return
    from warpbook.book import documents

    print(lines.dumps(documents.event(event), allow_nan=False), flush=True)


def show_event(screen: Console, event: "Event") -> None:
    who = printable(event.author)
    screen.print(f"{event.id:>5}  {when(event.at)}  {who}  ", style="dim", end="")
    subject = "" if event.text.startswith(event.subject) else f"{event.subject}: "
    screen.print(printable(f"{event.kind}  {subject}{event.text}"), soft_wrap=True)
