"""`warpbook summary`: a week or a month in numbers, each with its reference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from warpbook.cli.book import options
from warpbook.cli.guard import guarded
from warpbook.cli.journal.day import OnDate
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.journal.days.summary import Said, Summary

MOST = 20  # of a kind, on a screen


@guarded
def summary(
    week: Annotated[
        bool, typer.Option("--week", help="The week, from Monday; the default.")
    ] = False,
    month: Annotated[bool, typer.Option("--month", help="The month.")] = False,
    on: OnDate = "today",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Sum up a week or a month: minutes, rungs, verdicts, findings, reading, best gains."""
    from warpbook.core.errors import BadInput
    from warpbook.journal.days import dates
    from warpbook.journal.days.summary import summary as made

    if week and month:
        raise BadInput("--week and --month: give one of the two")
    with journal_opened(book) as journal:
        when = dates.parse(on, journal.today())
        found = made(journal, "month" if month else "week", when)
    if json:
        show_json(found.document())
    else:
        show(console(), found)
    return 0


def show(screen: Console, found: "Summary") -> None:
    from warpbook.cli.book.views import facts
    from warpbook.journal.days.streaks import count

    screen.print(f"{found.kind} of {found.first} to {found.last}", style="bold")
    total = (found.last - found.first).days + 1
    tracks = ", ".join(f"{track} {minutes:g}" for track, minutes in found.by_track.items())
    runs = ", ".join(f"{number} {state}" for state, number in found.runs.items())
    facts(
        screen,
        [
            ("days", f"{len(found.days)} of {count(total)}"),
            ("minutes", f"{found.minutes:g}" + (f" ({tracks})" if tracks else "")),
            ("rungs", f"{len(found.rungs)}: {', '.join(found.rungs)}" if found.rungs else ""),
            ("runs", runs),
            ("cards", f"{found.reviewed} reviewed" if found.reviewed else ""),
        ],
    )
    for title, said in (
        ("verdicts", found.verdicts),
        ("findings", found.findings),
        ("read", found.read),
        ("best gains", found.best),
    ):
        show_said(screen, title, said)


def show_said(screen: Console, title: str, said: Sequence["Said"]) -> None:
    if not said:
        return
    screen.print(f"\n{title}", style="dim")
    for one in said[:MOST]:
        line = Text(f"  {printable(one.reference)}", "bold cyan")
        if one.figure:
            line.append(f"  {printable(one.figure)}", "green")
        line.append(f"  {printable(' '.join(one.text.split()))}", "")
        screen.print(line, soft_wrap=True)
    if len(said) > MOST:
        screen.print(f"  and {len(said) - MOST} more: --json has them all", style="dim")
