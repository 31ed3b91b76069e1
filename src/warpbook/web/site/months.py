"""Months summed up: minutes and gains as pictures, verdicts, findings, reading, and the days."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from warpbook.journal.days import figures
from warpbook.journal.days.summary import Said, Summary, summary
from warpbook.web import show
from warpbook.web.journal import summaries
from warpbook.web.markup import Markup, h, join, text
from warpbook.web.site.contents import Contents, month_file
from warpbook.web.site.days import calendar_of, listed, map_of
from warpbook.web.site.frame import Page
from warpbook.web.svg.bars import Bar, bars
from warpbook.web.table import Column, table
from warpbook.web.visit import heading

MOST_BARS = 36
MOST_GAIN = 20.0  # a factor of 10^8 is drawn as the most
COLUMNS = (
    Column("month"), Column("days", number=True), Column("minutes", number=True),
    Column("valid runs", number=True), Column("verdicts", number=True),
    Column("read", number=True), Column("best gain", wide=True),
)  # fmt: skip


def pages(found: Contents) -> Iterator[Page]:
    """One a month, and all of them in one."""
    every = [summed(found, first) for first in found.months]
    for at, one in enumerate(every):
        around = every[at - 1] if at else None, every[at + 1] if at + 1 < len(every) else None
        yield page(found, one, *around)
    yield index(found, every)


def summed(found: Contents, first: date) -> Summary:
    """With the days that are shown alone."""
    made = summary(found.journal, "month", first)
    return replace(made, days=[d for d in found.logged if made.first <= d.date <= made.last])


def page(found: Contents, one: Summary, before: Summary | None, after: Summary | None) -> Page:
    title = f"{one.first:%B %Y}"
    dates = [day.date for day in reversed(one.days)]
    body = h(
        '{}{}<div class="split"><div>{}{}</div><div>{}</div></div>',
        heading(title), turning(before, after),
        pictures(found, one), show.section("Days", listed(found, dates), id_="listed"),
        summaries.one(one, {}),
    )  # fmt: skip
    return Page(month_file(one.first), title, body)


def turning(before: Summary | None, after: Summary | None) -> Markup:
    return h(
        '<nav class="turning" aria-label="other months">{}<a href="/months">All months</a>{}</nav>',
        to(before, "‹ {}", "prev"), to(after, "{} ›", "next"),
    )  # fmt: skip


def to(one: Summary | None, label: str, rel: str) -> Markup:
    if one is None:
        return h("<span></span>")
    name = label.format(f"{one.first:%B %Y}")
    return h('<a rel="{}" href="/months/{}">{}</a>', rel, f"{one.first:%Y-%m}", name)


def pictures(found: Contents, one: Summary) -> Markup:
    by_day = {day.date.day: day.minutes or 0.0 for day in one.days}
    shown = [
        Bar(
            str(day),
            by_day.get(day, 0.0),
            f"{one.first:%B} {day}: {by_day.get(day, 0.0):g} minutes",
        )
        for day in range(1, one.last.day + 1)
    ]
    minutes = section("Minutes", shown, f"{one.minutes:g} minutes on {len(by_day)} days")
    gained = [
        Bar(
            said.reference.partition(":")[2],
            factor,
            f"{said.reference}: {said.figure}\n{said.text}",
        )
        for said in one.best
        if (factor := factor_of(found, said))
    ]
    return minutes + section("Best gains", gained, "gains of the month", "x", 1.0)


def section(title: str, shown: Sequence[Bar], said: str, unit: str = "", base: float = 0) -> Markup:
    if not any(bar.value != base for bar in shown):
        return Markup("")
    return show.section(title, bars(shown, said, unit, base))


def factor_of(found: Contents, said: Said) -> float:
    """Of a gain that is a ratio, as all of the best are."""
    number = int(said.reference.rpartition("-")[2])
    pooled = figures.pooled(found.journal.index.connection, number)
    gain = pooled.gain if pooled else None
    return math.exp(min(gain, MOST_GAIN)) if gain is not None else 0.0


def index(found: Contents, every: Sequence[Summary]) -> Page:
    rows = [row(found, one) for one in reversed(every)]
    body = heading("Months") + plots(found, every[-MOST_BARS:])
    if rows:
        body += show.section("All months", table(COLUMNS, rows, caption="months"), id_="months")
    else:
        body += show.empty("No day is here.")
    return Page("months.html", "Months", body + years(found))


def row(found: Contents, one: Summary) -> list[Markup]:
    best = one.best[0] if one.best else None
    gain = h("<b>{}</b> {}", best.figure, text(best.text, 100)) if best else show.NONE
    return [
        h('<a href="/months/{}">{}</a>', f"{one.first:%Y-%m}", f"{one.first:%B %Y}"),
        h("{}", len(one.days)),
        h("{}", f"{one.minutes:g}"),
        h("{}", one.runs.get("valid", 0)),
        h("{}", len(one.verdicts)),
        h("{}", len(one.read)),
        gain,
    ]


def plots(found: Contents, every: Sequence[Summary]) -> Markup:
    spent = [
        Bar(f"{m.first:%b %y}", m.minutes, f"{m.first:%B %Y}: {m.minutes:g} min") for m in every
    ]
    gains = []
    for one in every:
        factor = factor_of(found, one.best[0]) if one.best else 1.0
        tip = f"{one.first:%B %Y}: {one.best[0].figure if one.best else 'none'}"
        gains.append(Bar(f"{one.first:%b %y}", factor or 1.0, tip))
    made = [
        section("Minutes a month", spent, f"minutes of {len(every)} months"),
        section("Best gain of each month", gains, "the best gain of each month", "x", 1.0),
    ]
    return h('<div class="grid">{}</div>', join(made))


def years(found: Contents) -> Markup:
    """A map of each year, the newest first."""
    first = found.days[0].date.year if found.days else 0
    made = []
    for year in range(found.days[-1].date.year, first - 1, -1) if found.days else ():
        known = calendar_of(found, date(year, 12, 31))
        made.append(show.section(str(year), map_of(found, known), id_=f"year-{year}"))
    return join(made)
