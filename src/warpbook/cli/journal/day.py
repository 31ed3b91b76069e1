"""`warpbook day`: write today's file, add to it, show days, and draft one from what happened."""

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.journal.saying import Saying
from warpbook.cli.nested import defaulting_to
from warpbook.cli.screen import console, show_json

if TYPE_CHECKING:
    from warpbook.journal.days.editor import Edited
    from warpbook.journal.journal import Journal

day = typer.Typer(
    cls=defaulting_to("write"),
    no_args_is_help=False,
    help="Days: `day` opens today's file in your editor, `day TEXT` adds to it.",
)
OnDate = Annotated[
    str, typer.Option("--date", metavar="DATE", help="2026-01-04, today or yesterday.")
]
Track = Annotated[
    str | None, typer.Option(metavar="NAME", help="The track that the day counts for.")
]
OfTrack = Annotated[str | None, typer.Option("--track", metavar="NAME", help="Of one track alone.")]
Minutes = Annotated[
    float | None, typer.Option(metavar="N", help="Minutes, added to those that are there.")
]


@day.command("write", cls=Saying)
@guarded
def write(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What to add; without it the editor opens."),
    ] = None,
    on: OnDate = "today",
    track: Track = None,
    minutes: Minutes = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Open a day in the editor, or add a paragraph to it. A new day begins with the open plans."""
    from warpbook.journal.days import dates, days

    words = " ".join(text or [])
    with journal_opened(book) as journal:
        when = dates.parse(on, journal.today())
        if not words and minutes is None and track is None:
            return edited(journal, when, json=json)
        if text and not words.strip():
            words = ""
        added = days.add(journal, when, words, track, minutes)
        if json:
            show_json({"date": str(when), "path": added.path, "waits": added.waits})
            return 0
        if added.waits:
            say(
                f"{days.relative(when)} is open in an editor; what you said waits in {added.path}, "
                "and is added when the editor has closed"
            )
            return 0
        from warpbook.cli.journal.day_view import show_counts

        show_counts(console(), journal, days.get(journal, when))
    return 0


@day.command("show")
@guarded
def show(
    on: Annotated[
        str, typer.Argument(metavar="DATE", help="2026-01-04, today or yesterday.")
    ] = "today",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a day: its counts beside those it claims, its text with live figures, its plans."""
    from warpbook.cli.journal import day_view
    from warpbook.journal.days import dates, day_document, days

    with journal_opened(book) as journal:
        found = days.get(journal, dates.parse(on, journal.today()))
        if json:
            show_json(day_document.document(journal, found))
        else:
            day_view.show(console(), journal, found)
    return 0


@day.command("list")
@guarded
def list_(
    track: OfTrack = None,
    limit: options.Limit = 30,
    offset: options.Offset = 0,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List days, the newest first."""
    from warpbook.cli.journal.day_view import show_list
    from warpbook.journal.days import days

    with journal_opened(book) as journal:
        found = days.listed(journal, track, limit=limit, offset=offset)
        for problem in days.ahead(journal):
            say(str(problem))
        if json:
            show_json([{**entry.document, "title": entry.title} for entry in found])
        else:
            show_list(console(), found, limit, offset)
    return 0


@day.command("draft")
@guarded
def draft(
    edit: Annotated[
        bool, typer.Option("--edit", help="Put it into the day, and open that in the editor.")
    ] = False,
    on: OnDate = "today",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Propose a day's entry from what the book has of it: runs, verdicts, findings, reading."""
    from warpbook.core.text import printable
    from warpbook.journal.days import dates
    from warpbook.journal.days.draft import draft as proposed

    with journal_opened(book) as journal:
        when = dates.parse(on, journal.today())
        text = proposed(journal, when)
        if edit and text:
            return edited(journal, when, text, json)
        if json:
            show_json({"date": str(when), "text": text})
        elif text:
            console().print(printable(text.rstrip("\n"), lines=True), soft_wrap=True)
        else:
            console().print(f"nothing of {when} is left to tell")
    return 0


def edited(journal: "Journal", when: date, proposal: str = "", json: bool = False) -> int:
    from warpbook.journal.days import days
    from warpbook.journal.days.editor import open_day

    done = open_day(journal, when, proposal=proposal)
    found = days.find(journal, when)
    for problem in done.problems:
        say(problem)
    if json:
        told = {"date": str(when), "path": done.path, "changed": done.changed, "kept": done.kept}
        show_json({**told, "problems": [*done.problems]})
    elif found:
        from warpbook.cli.journal.day_view import show_counts

        show_counts(console(), journal, found)
    else:
        say(untouched(done))
    return 0


def untouched(done: "Edited") -> str:
    if done.changed:
        return f"the editor removed {done.path}"
    return f"nothing was written: there is no {done.path}"
