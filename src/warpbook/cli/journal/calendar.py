"""`warpbook calendar`: a year of days as a heat map, the streaks, and every gap."""

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from warpbook.cli.book import options
from warpbook.cli.guard import guarded, say
from warpbook.cli.journal.day import OfTrack
from warpbook.cli.journal.opening import journal_opened
from warpbook.cli.screen import console, show_json
from warpbook.core.text import printable

if TYPE_CHECKING:
    from warpbook.journal.days.calendar import Calendar, Cell
    from warpbook.journal.days.streaks import Span

MARKS = ("\u00b7", "\u2591", "\u2592", "\u2593", "\u2588")  # a gap, and four levels
STYLES = ("dim", "green", "green", "bold green", "bold green")
WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")


@guarded
def calendar(
    track: OfTrack = None,
    year: Annotated[
        int | None,
        typer.Option(metavar="N", min=1970, max=9998, help="That year; the last 12 months else."),
    ] = None,
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show a year of days as a heat map, with streaks and gaps."""
    from warpbook.journal.days import days
    from warpbook.journal.days.calendar import calendar as made

    with journal_opened(book) as journal:
        until = date(year, 12, 31) if year else None
        found = made(journal, track, until)
        for problem in days.ahead(journal):
            say(str(problem))
    if json:
        show_json(found.document())
    else:
        show(console(), found)
    return 0


def show(screen: Console, found: "Calendar") -> None:
    from warpbook.journal.days import streaks

    screen.print(Text("     " + months(found), "dim"))
    for weekday, name in enumerate(WEEKDAYS):
        row = Text(f"{name:<5}", "dim")
        for week in found.weeks:
            row.append(*drawn(week[weekday], found))
        screen.print(row)
    shown = [cell for cell in found.cells if cell.logged]
    minutes = sum(cell.minutes or 0 for cell in shown)
    screen.print(
        f"\n{found.first} to {found.last}: {streaks.count(len(shown))}"
        + (f", {minutes:g} minutes" if minutes else ""),
        style="dim",
    )
    screen.print(streaks.words(found.streaks))
    for track, mine in found.by_track.items() if len(found.by_track) > 1 else ():
        screen.print(printable(f"  {track}: {streaks.words(mine)}"), soft_wrap=True)
    gaps = [
        gap for gap in found.streaks.gaps if found.first <= gap.last and gap.first <= found.last
    ]
    if gaps:
        screen.print(f"gaps: {', '.join(map(gap_words, gaps))}", style="dim")


def drawn(cell: "Cell", found: "Calendar") -> tuple[str, str]:
    if cell.ahead or not found.first <= cell.date <= found.last:
        return " ", ""
    return MARKS[cell.level], STYLES[cell.level]


def months(found: "Calendar") -> str:
    """Names over the weeks in which months begin, where there is room for them."""
    line = [" "] * len(found.weeks)
    for number, week in enumerate(found.weeks):
        first = next((cell for cell in week if cell.date.day == 1), None)
        if first and number + 3 <= len(line) and found.first <= first.date <= found.last:
            line[number : number + 3] = first.date.strftime("%b")
    return "".join(line)


def gap_words(gap: "Span") -> str:
    if gap.days == 1:
        return str(gap.first)
    return f"{gap.first} to {gap.last} ({gap.days} days)"
