"""A day as people read it in a terminal: counts, text with live figures, plans."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from warpbook.cli.book.views import facts, page_note, short, table
from warpbook.core.text import printable
from warpbook.core.units import digits

if TYPE_CHECKING:
    from warpbook.journal.days.days import Day
    from warpbook.journal.days.figures import Figure
    from warpbook.journal.entry import Entry
    from warpbook.journal.journal import Journal
    from warpbook.journal.texts.blocks import Line

MOST = 20  # plans of earlier days, below a day
PLAN_STYLES = {"open": "yellow", "done": "green", "dropped": "dim"}


def show_counts(screen: Console, journal: "Journal", day: "Day") -> None:
    from warpbook.journal.days import counters
    from warpbook.journal.days.day_document import counted

    screen.print(f"{day.date:%A} {day.date}  ", style="bold", end="")
    said = [counters.words(counter) for counter in counted(journal, day)]
    if day.minutes is not None:
        said.append(f"{digits_of(day.minutes)} min")
    screen.print(printable("; ".join(said)), soft_wrap=True)


def show(screen: Console, journal: "Journal", day: "Day") -> None:
    from warpbook.journal.days import figures, plans

    show_counts(screen, journal, day)
    for problem in day.problems:
        screen.print(printable(str(problem)), style="red", soft_wrap=True)
    connection = journal.index.connection
    facts(screen, [("called", day.called), *links(connection, day)])
    known = {one.reference: one for one in figures.in_text(connection, day.body)}
    # In one piece: rich takes its time over each.
    body = Text("\n").join(shown(line, known) for line in day.lines())
    body.rstrip()
    if body:
        screen.print()
        screen.print(body, soft_wrap=True)
    carried = plans.carried(journal, day.date)
    if carried:
        screen.print("\nopen from earlier days", style="dim")
        for plan in carried[:MOST]:
            screen.print(Text(f"  {plan.since}  ", "dim") + Text(printable(plan.text), "yellow"))
        if len(carried) > MOST:
            screen.print(f"  and {len(carried) - MOST} more: warpbook plan", style="dim")


def links(connection: Any, day: "Day") -> list[tuple[str, str]]:
    """What the front matter links to, with its figures."""
    from warpbook.journal.days import figures

    found = []
    for name, kind in (("kernels", "kernel"), ("runs", "run"), ("reading", "reading")):
        for what in getattr(day, name):
            for _, _, reference in figures.references(f"{kind}:{what}"):
                figure = figures.figure(connection, reference)
                found.append((name, f"{what}: {figure.text}"))
    return found


def shown(line: "Line", known: "dict[str, Figure]") -> Text:
    """A line with its figures, made safe to show."""
    from warpbook.journal.days import figures, plans

    text = Text()
    if line.kind == "fence":
        return Text(printable(line.text, lines=True), "cyan")
    base = {"heading": "bold", "comment": "dim"}.get(line.kind, "")
    if box := plans.BOX.fullmatch(line.text.rstrip()):
        base = PLAN_STYLES[plans.STATES[box[2]]]
    end = 0
    for start, stop, reference in figures.references(line.text):
        text.append(printable(line.text[end:start]), base)
        text.append(printable(line.text[start:stop]), "bold cyan")
        figure = known.get(reference)
        if figure is not None:
            text.append(printable(f" [{figure.text}]"), "green" if figure.known else "red")
        end = stop
    text.append(printable(line.text[end:]), base)
    return text


def show_list(screen: Console, days: Sequence["Entry"], limit: int, offset: int) -> None:
    if not days:
        screen.print('no days yet; write one: warpbook day "what I did"')
        return
    rows = [
        [
            day.key,
            ", ".join(day.document["tracks"]),
            "" if day.document["minutes"] is None else digits_of(day.document["minutes"]),
            str(day.document["entries"]),
            short(day.title),
        ]
        for day in days
    ]
    columns = ("date", "track", "minutes", "entries", "title")
    screen.print(table(columns, rows, right=("minutes", "entries")))
    page_note(screen, len(days), limit, offset)


def digits_of(minutes: float) -> str:
    return f"{minutes:g}" if minutes < 1e6 else digits(minutes)
