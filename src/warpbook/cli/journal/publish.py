"""`warpbook export post`, `export rss` and `export site`: the journal for the world."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.guard import guarded
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import Progress, console, show_json
from warpbook.core.text import printable
from warpbook.core.units import size

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

Track = Annotated[str | None, typer.Option(metavar="NAME", help="Of one track alone.")]
AllowKeys = Annotated[
    bool, typer.Option("--allow-keys", help="Even if something in it looks like a key.")
]
Title = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Its title; by default that of the book's folder."),
]
Since = Annotated[str | None, typer.Option(metavar="DATE", help="From this day on.")]
Address = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where the site will be, for whole links in the feed."),
]


@guarded
def export_post(
    day: Annotated[
        str, typer.Argument(metavar="[DATE]", help="2026-01-04, today or yesterday.")
    ] = "today",
    thread: Annotated[bool, typer.Option("--thread", help="All of it, in numbered posts.")] = False,
    track: Annotated[
        str | None, typer.Option(metavar="NAME", help="The track to count by; the day's first.")
    ] = None,
    allow_keys: AllowKeys = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Print a day as a post of at most 280 characters, or as a thread of them."""
    from warpbook.journal.days import dates
    from warpbook.journal.sharing import post, post_cut, public
    from warpbook.journal.sharing.post_weight import weight

    with journal_opened(book) as journal:
        on = dates.parse(day, journal.today())
        text = post.whole(journal, public.day(journal, on), track)
    made = post_cut.thread(text) if thread else [post_cut.single(text)]
    refuse_keys([(f"the day {on}", text if thread else made[0])], allow_keys)
    if json:
        posts = [{"text": text, "length": weight(text)} for text in made]
        show_json({"date": str(on), "limit": post_cut.LIMIT, "posts": posts})
        return 0
    # As it is to be pasted: what drives a terminal is not in it.
    print("\n\n".join(made))
    return 0


@guarded
def export_site(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A new folder, or a site to update.", show_default=False
        ),
    ],
    title: Title = None,
    since: Since = None,
    track: Track = None,
    address: Address = None,
    allow_keys: AllowKeys = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write days, reading, ladders and months as a static site, which needs no server."""
    from warpbook.web import rss
    from warpbook.web.site import folder as disk
    from warpbook.web.site.contents import Asked
    from warpbook.web.site.whole import site

    where, target = rss.checked(address), folder.expanduser().absolute()
    with journal_opened(book) as journal, opened(book) as opened_book, Progress() as progress:
        disk.checked(target)
        name = title or journal.folder.name
        asked = Asked(name, track, first_day(journal, since), where)
        made = site(opened_book, journal, asked, allow_keys, progress)
    updated = disk.write(target, made.files)
    length = sum(len(text.encode("utf-8", "replace")) for text in made.files.values())
    counts = {"days": made.days, "private": made.private, "reading": made.reading}
    if json:
        more = {"ladders": made.ladders, "files": len(made.files), "bytes": length}
        show_json({"folder": str(target), "updated": updated, **counts, **more})
        return 0
    said = f"{counted(made.days, made.private)}, {made.reading} to read, {made.ladders} ladders"
    line = f"{target}: {'updated, ' * updated}{len(made.files)} files, {size(length)}: {said}"
    console().print(printable(line), soft_wrap=True)
    return 0


@guarded
def export_rss(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A new file, or a feed to update.", show_default=False),
    ],
    title: Title = None,
    since: Since = None,
    track: Track = None,
    address: Address = None,
    allow_keys: AllowKeys = False,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Write the newest 30 days as an RSS feed."""
    from warpbook.journal.sharing import public
    from warpbook.web import rss
    from warpbook.web.site import leaving

    target, where = file.expanduser().absolute(), rss.checked(address)
    with journal_opened(book) as journal:
        found = public.newest(journal, track, first_day(journal, since), rss.NEWEST)
        places = dict(rss.place(day.date) for day in found.days)
        site = rss.Site(title or journal.folder.name, where, track, places=places)
        refuse_keys(((day.path, day.body) for day in found.days), allow_keys)
        text = leaving.without(rss.feed(journal, found.days, site), leaving.roots(journal.folder))
    rss.write(text, target)
    length = target.stat().st_size
    if json:
        said = {"days": len(found.days), "private": found.private}
        show_json({"file": str(target), "bytes": length, **said})
        return 0
    counts = counted(len(found.days), found.private)
    console().print(printable(f"{target}: {size(length)}, {counts}"), soft_wrap=True)
    return 0


def first_day(journal: "Journal", since: str | None) -> str:
    from warpbook.journal.days import dates

    return dates.parse(since, journal.today()).isoformat() if since else ""


def counted(days: int, private: int) -> str:
    """`12 days, 2 private ones left out`."""
    said = f"{days} day{'s' * (days != 1)}"
    if not private:
        return said
    return f"{said}, {private} private one{'s' * (private != 1)} left out"


def refuse_keys(texts: Iterable[tuple[str, str]], allowed: bool) -> None:
    from warpbook.book.exchange.secrets import scan

    if not allowed and (keys := scan(texts)):
        from warpbook.book.exchange import export

        export.refuse_keys(keys)
