"""`warpbook feed`: feeds that bring new things to read into the inbox."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import console, show_json

if TYPE_CHECKING:
    from warpbook.journal.reading.feeds import Pulled

feed = typer.Typer(no_args_is_help=True, help="RSS and Atom feeds; what is new goes to the inbox.")
Timeout = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0.1, max=600, help="The longest a feed may take."),
]


@feed.command("add")
@guarded
def add(
    url: Annotated[str, typer.Argument(metavar="URL", show_default=False)],
    topic: Annotated[
        str, typer.Option(metavar="NAME", help="Where what you keep of it goes by default.")
    ] = "",
    title: Annotated[str, typer.Option(metavar="TEXT", help="Instead of its own title.")] = "",
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Without fetching it first: it may be down now.")
    ] = False,
    timeout: Timeout = 20.0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Add a feed; it is fetched once to see that it is one."""
    from warpbook.core.text import printable
    from warpbook.journal.reading import feeds
    from warpbook.journal.reading.feed_fetch import Limits

    with journal_opened(book) as journal:
        made, count = feeds.add(journal, url, topic, title, unchecked, Limits(timeout_s=timeout))
    if json:
        show_json({**asdict(made), "items": None if unchecked else count})
        return 0
    has = "" if unchecked else f", {count} items now"
    console().print(printable(f"{made.name}{has}: warpbook feed pull"), soft_wrap=True)
    return 0


@feed.command("list")
@guarded
def list_(
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List the feeds, and when each last brought something."""
    from warpbook.cli.book.views import table
    from warpbook.journal.reading import feeds

    with journal_opened(book) as journal:
        found = feeds.read(journal)
        seen = feeds.seen(journal)
    rows = [(one, seen.get(one.url, feeds.Seen())) for one in found]
    if json:
        show_json(
            [
                {**asdict(one), "seen": len(known.guids), "last": known.at or None}
                for one, known in rows
            ]
        )
        return 0
    screen = console()
    if not rows:
        screen.print("no feeds; add one: warpbook feed add URL")
        return 0
    columns = ("title", "address", "topic", "seen", "last")
    shown = [
        (one.title, one.url, one.topic, str(len(known.guids)), known.at[:10]) for one, known in rows
    ]
    screen.print(table(columns, shown, right=("seen",)))
    return 0


@feed.command("drop")
@guarded
def drop(
    which: Annotated[
        str,
        typer.Argument(
            metavar="FEED", help="Its address, or words of its title.", show_default=False
        ),
    ],
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Take a feed off the list; what it brought stays."""
    from warpbook.core.text import printable
    from warpbook.journal.reading import feeds

    with journal_opened(book) as journal:
        gone = feeds.drop(journal, which)
    if json:
        show_json(asdict(gone))
        return 0
    console().print(printable(f"{gone.name}: dropped"), soft_wrap=True)
    return 0


@feed.command("pull")
@guarded
def pull(
    timeout: Timeout = 20.0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Fetch all feeds and put what is new into the inbox; 1 if one of them failed."""
    from warpbook.journal.reading import feeds
    from warpbook.journal.reading.feed_fetch import Limits
    from warpbook.journal.reading.reading import document

    with journal_opened(book) as journal:
        pulled, items = feeds.pull(journal, Limits(timeout_s=timeout))
    if json:
        show_json(
            {
                "feeds": [asdict(one) for one in pulled],
                "added": [document(item) for item in items],
            }
        )
    else:
        show_pulled(pulled)
    for one in pulled:
        if one.failed:
            say(f"{one.feed.name}: {one.failed}")
    return 1 if any(one.failed for one in pulled) else 0


def show_pulled(pulled: "list[Pulled]") -> None:
    from warpbook.cli.book.views import short, table

    screen = console()
    if not pulled:
        screen.print("no feeds; add one: warpbook feed add URL")
        return
    rows = [
        (
            short(one.feed.name, 50),
            str(one.new),
            str(one.known),
            "failed" if one.failed else one.note,
        )
        for one in pulled
    ]
    screen.print(table(("feed", "new", "known", ""), rows, right=("new", "known")))
    if any(one.new for one in pulled):
        screen.print("warpbook reading list --state inbox", style="dim")
