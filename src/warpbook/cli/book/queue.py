"""`warpbook queue`: what runs next, and why; pausing it, and holding an author."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from warpbook.cli.book import options
from warpbook.cli.book.experiment_view import title_of
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import money, short, table
from warpbook.cli.guard import guarded, say
from warpbook.cli.screen import console, show_json
from warpbook.core.duration import show_duration
from warpbook.core.errors import BadInput
from warpbook.core.text import printable
from warpbook.core.units import digits

if TYPE_CHECKING:
    from warpbook.book.book import Book
    from warpbook.book.queue import Place

queue = typer.Typer(
    invoke_without_command=True,
)
Who = Annotated[str, typer.Argument(metavar="AUTHOR", help="A name.", show_default=False)]


@queue.callback()
def show_queue(
    context: typer.Context,
    limit: options.Limit = 20,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Show what runs next, and why; pause it, or hold an author."""
    if context.invoked_subcommand is None:
        look(limit=limit, book=book, json=json, debug=debug)
    elif book or json or debug:
        say(f"write the options behind the verb: warpbook queue {context.invoked_subcommand} ...")
        raise typer.Exit(BadInput.exit_status)


@guarded
def look(limit: int, book: Path | None, json: bool, debug: bool) -> int:
    with opened(book) as opened_book:
        show(opened_book, limit, json)
    return 0


def changing(verb: str, what: str) -> None:
    """A verb that changes the queue as a whole, and shows it."""

    @queue.command(verb, help=what)
    @guarded
    def change(
        book: options.BookFolder = None,
        author: options.Author = None,
        json: options.Json = False,
        debug: options.Debug = False,
    ) -> int:
        with opened(book, author) as opened_book:
            getattr(opened_book.queue, verb)()
            show(opened_book, 20, json)
        return 0


def of_author(verb: str, what: str) -> None:
    @queue.command(verb, help=what)
    @guarded
    def change(
        who: Who,
        book: options.BookFolder = None,
        author: options.Author = None,
        json: options.Json = False,
        debug: options.Debug = False,
    ) -> int:
        with opened(book, author) as opened_book:
            getattr(opened_book.queue, verb)(who)
            show(opened_book, 20, json)
        return 0


changing("pause", "Let nothing start; what runs goes on.")
changing("resume", "Let it go on.")
of_author("hold", "Let nothing of an author's start.")
of_author("unhold", "Let an author's go on.")


def show(book: "Book", limit: int, json: bool) -> None:
    places, currency = book.queue.order(limit), book.settings.currency
    paused, held = book.queue.paused(), book.queue.held()
    if json:
        from warpbook.book import documents

        shown = [documents.place(one) for one in places]
        show_json({"paused": paused, "held": held, "currency": currency, "places": shown})
        return
    screen = console()
    if paused:
        screen.print("paused: nothing starts; warpbook queue resume", style="yellow")
    for name in map(printable, held):
        again = f"warpbook queue unhold {shlex.quote(name)}"
        screen.print(f"nothing of {name} starts; {again}", style="yellow", soft_wrap=True)
    show_places(screen, places, limit, currency)


def show_places(screen: Console, places: "list[Place]", limit: int, currency: str) -> None:
    if not places:
        screen.print("the queue is empty; `warpbook try` fills it")
        return
    priced = any(place.money for place in places)
    columns = ("", "id", "change against baseline", "worth", *(["costs"] if priced else []), "why")
    screen.print(table(columns, [row(place, priced, currency) for place in places]))
    if len(places) == limit:
        screen.print(f"the first {limit}; more with --limit", style="dim")


def row(place: "Place", priced: bool, currency: str) -> tuple[str, ...]:
    why = f"not taken: {place.blocked}" if place.blocked else place.reason
    waited = f"; waiting for {show_duration(place.waiting_s)}"
    return (
        str(place.position),
        place.experiment.name,
        short(title_of(place.experiment), 40),
        f"{digits(place.worth)} bits",
        *([money(place.money, currency)] if priced else []),
        why + waited,
    )
