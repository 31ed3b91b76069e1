"""The journal at a glance: a year of days, streaks, the latest days, what is wrong in its files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from warpbook.journal.days import days
from warpbook.journal.days.calendar import Calendar, calendar, logged
from warpbook.journal.days.streaks import Span, Streaks, count
from warpbook.journal.entry import Entry
from warpbook.journal.journal import Journal
from warpbook.web import show
from warpbook.web.controls import select
from warpbook.web.markup import Markup, h, join, query_of, text
from warpbook.web.svg import year as picture
from warpbook.web.table import Column, page_of, pages, table
from warpbook.web.visit import Query

ROWS = 12
MOST_TRACKS, MOST_GAPS, MOST_PROBLEMS = 20, 12, 20
LONGEST = 300
STREAKS = (
    Column("track"), Column("days", number=True), Column("in a row", number=True),
    Column("longest", number=True), Column("gaps"),
)  # fmt: skip


@dataclass(frozen=True)
class Chosen:
    """What the address asks for; a year of 0 is the last twelve months."""

    track: str = ""
    year: int = 0


def chosen(query: Query) -> Chosen:
    year = query.get("year", "")
    known = year.isdecimal() and len(year) == 4 and 1970 <= int(year) <= 9998
    return Chosen(query.get("track", "")[:200], int(year) if known else 0)


def whole_year(journal: Journal, query: Query) -> Markup:
    """The heat map with its choices, and the streaks of each track."""
    asked, today = chosen(query), journal.today()
    every = logged(journal)
    tracks = sorted({track for day in every for track in day.tracks})
    years = range(today.year, every[0].date.year - 1 if every else today.year - 1, -1)
    until = date(asked.year, 12, 31) if asked.year else None
    found = calendar(journal, asked.track or None, until)
    mine = [day for day in every if not asked.track or asked.track in day.tracks]
    map_ = picture.year(found, today, mine[0].date if mine else None)
    shown = h("{}{}", map_, below(found))
    year_ = show.section("Days", shown, choices(asked, tracks, years), id_="days")
    return h('<div class="year-and-streaks">{}{}</div>', year_, streaks(found, query))


def choices(asked: Chosen, tracks: Sequence[str], years: Sequence[int]) -> Markup:
    return h(
        "<form data-query>{}{}</form>",
        select("track", "track", asked.track, tracks),
        select("year", "year", str(asked.year or ""), [*map(str, years)],
               any_label="the last 12 months"),
    )  # fmt: skip


def below(found: Calendar) -> Markup:
    cells = [cell for cell in found.cells if cell.logged]
    minutes = sum(cell.minutes or 0 for cell in cells)
    spent = f", {minutes:,.0f} minutes" if minutes else ""
    return h(
        '<div class="row under-year"><span class="muted">{} logged{}</span>{}</div>',
        count(len(cells)), spent, picture.legend(),
    )  # fmt: skip


def streaks(found: Calendar, query: Query) -> Markup:
    if found.streaks.longest is None:
        body = show.empty("Nothing is logged yet.", 'warpbook day "what I did"')
        return show.section("Streaks", body, id_="streaks")
    rows = [
        streak_row(name, one, query) for name, one in list(found.by_track.items())[:MOST_TRACKS]
    ]
    if len(found.by_track) > 1:
        rows.insert(0, streak_row("", found.streaks, query))
    return show.section("Streaks", table(STREAKS, rows, caption="streaks"), id_="streaks")


def streak_row(track: str, found: Streaks, query: Query) -> list[Markup]:
    name = h(
        '<a data-query href="{}">{}</a>', query_of(dict(query), track=track), text(track, 60)
    ) if track else h("any")  # fmt: skip
    longest = found.longest
    said = f"{longest.first} to {longest.last}" if longest else ""
    return [
        name,
        h("{}", found.days),
        h("<b>{}</b>", found.current.days) if found.current else show.NONE,
        h('<span data-tip="{}" tabindex="0">{}</span>', said, longest.days) if longest
        else show.NONE,
        gaps(found),
    ]  # fmt: skip


def gaps(found: Streaks) -> Markup:
    """Their number, and the latest of them when it is opened."""
    if not found.gaps:
        return h('<span class="muted">none</span>')
    last = found.gaps[: -MOST_GAPS - 1 : -1]
    left = len(found.gaps) - len(last)
    more = h('<li class="muted">and {} earlier</li>', f"{left:,}") if left else ""
    return h(
        "<details><summary>{} ({})</summary><ul>{}{}</ul></details>",
        f"{len(found.gaps):,}", count(found.missed),
        join(h("<li>{}</li>", span_words(gap)) for gap in last), more,
    )  # fmt: skip


def span_words(gap: Span) -> str:
    if gap.days == 1:
        return str(gap.first)
    return f"{gap.first} to {gap.last}, {count(gap.days)}"


def latest(journal: Journal, query: Query) -> Markup:
    """A page of days, the newest first."""
    track = chosen(query).track or None
    total = len(logged(journal, track))
    offset = (page_of(query) - 1) * ROWS
    today = journal.today().isoformat()
    found = days.listed(journal, track, until=today, limit=ROWS, offset=offset)
    if not found:
        body = show.empty("No day is logged here.")
    else:
        body = h('<ul class="list latest">{}</ul>', join(map(line, found)))
        body += pages(dict(query), total, ROWS) if total > ROWS else Markup("")
    return show.section("Latest days", body, id_="latest")


def line(day: Entry) -> Markup:
    said = day.document
    minutes = [] if said["minutes"] is None else [f"{said['minutes']:g} min"]
    about = ", ".join([*(track[:60] for track in said["tracks"][:4]), *minutes])
    title = text(day.title, LONGEST) if day.title != day.key else ""
    return h(
        '<li><span><a href="/journal/{0}">{0}</a> <span class="muted">{1}</span></span>'
        '<span>{2}</span><span class="muted">{3}</span></li>',
        day.key, f"{date.fromisoformat(day.key):%a}", title, about,
    )  # fmt: skip


def problems(journal: Journal) -> Markup:
    """What could not be used of the journal's files, each with its line."""
    found = [*journal.index.problems(), *days.ahead(journal)]
    if not found:
        return Markup("")
    items = join(h("<li>{}</li>", text(str(one), LONGEST)) for one in found[:MOST_PROBLEMS])
    left = len(found) - MOST_PROBLEMS
    more = (
        h('<li class="muted">and {} more: warpbook reindex</li>', f"{left:,}") if left > 0 else ""
    )
    body = h('<ul class="list problems">{}{}</ul>', items, more)
    return show.section("To mend in the files", body, id_="problems")


def tracks_of(journal: Journal) -> list[str]:
    """Those that days count for, and those of the settings."""
    every = {track for day in logged(journal) for track in day.tracks}
    return sorted({*every, *journal.settings.tracks, journal.settings.track})
