"""A year of days as a heat map: weeks as columns, each day a link to its page.

Arrows move between the days; `assets/journal.js` does that.
"""

from collections.abc import Iterator
from datetime import date

from warpbook.journal.days.calendar import LEVELS, Calendar, Cell
from warpbook.web.markup import Markup, attributes, h, join

STEP, SIDE = 14, 11  # from a day to the next, and the square of one
LEFT, TOP = 32, 20
WEEKDAYS = ((0, "Mon"), (2, "Wed"), (4, "Fri"))


def year(found: Calendar, today: date, began: date | None = None) -> Markup:
    """`began` is the first day that was ever logged: what lies before it is no gap."""
    columns = list(enumerate(found.weeks))
    width, height = LEFT + STEP * len(columns), TOP + STEP * 7
    names = join(
        h('<text x="{}" y="{}">{}</text>', 0, TOP + STEP * row + SIDE - 1, name)
        for row, name in WEEKDAYS
    )
    shown = [cell for cell in found.cells if not cell.ahead]
    stop = today if found.first <= today <= found.last else (shown[-1].date if shown else None)
    days = join(
        day(cell, LEFT + STEP * column, TOP + STEP * row, cell.date == stop, began, today)
        for column, week in columns
        for row, cell in enumerate(week)
        if found.first <= cell.date <= found.last and not cell.ahead
    )
    return h(
        '<div class="scroll year" tabindex="0" role="region" aria-label="a year of days">'
        '<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="group" '
        'aria-label="days from {2} to {3}; arrows move between them">{4}{5}{6}</svg></div>',
        width, height, found.first, found.last, join(months(found)), names, days,
    )  # fmt: skip


def months(found: Calendar) -> Iterator[Markup]:
    """Their names, over the weeks in which they begin."""
    for column, week in enumerate(found.weeks):
        first = next((cell.date for cell in week if cell.date.day == 1), None)
        if first and found.first <= first <= found.last and column + 2 <= len(found.weeks):
            yield h('<text x="{}" y="12">{}</text>', LEFT + STEP * column, f"{first:%b}")


def day(cell: Cell, x: int, y: int, stop: bool, began: date | None, today: date) -> Markup:
    """`stop`: the one that the Tab key comes to."""
    kind = f"level{cell.level}"
    if not cell.logged and (began is None or cell.date < began):
        kind = "before"
    return h(
        '<a href="/journal/{}" aria-label="{}" data-tip="" tabindex="{}"{}>'
        '<rect x="{}" y="{}" width="{}" height="{}" rx="2.5" class="{}"/></a>',
        cell.date, told(cell), 0 if stop else -1,
        attributes(aria_current="date" if cell.date == today else None),
        x, y, SIDE, SIDE, kind,
    )  # fmt: skip


def told(cell: Cell) -> str:
    """`Sunday 2026-01-04: 90 minutes, 3 entries`."""
    name = f"{cell.date:%A} {cell.date}"
    if not cell.logged:
        return f"{name}: nothing"
    parts = [] if cell.minutes is None else [f"{cell.minutes:g} minutes"]
    parts.append(f"{cell.entries} entr{'y' if cell.entries == 1 else 'ies'}")
    return f"{name}: {', '.join(parts)}"


def legend() -> Markup:
    squares = join(
        h('<svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2.5" '
          'class="level{}"/></svg>', level)
        for level in range(LEVELS + 1)
    )  # fmt: skip
    return h('<span class="levels">nothing {} most</span>', squares)
