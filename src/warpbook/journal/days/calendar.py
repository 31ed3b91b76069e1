"""The calendar: minutes and entries of each date, as a heat map has them, and the streaks.

Data alone: how it is drawn is for the terminal and the dashboard.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from warpbook.journal.days.streaks import Streaks, streaks

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

WEEK = 7
LEVELS = 4  # of a day that is logged; 0 is a gap


@dataclass(frozen=True)
class Logged:
    """A day as the index has it."""

    date: date
    tracks: tuple[str, ...]
    minutes: float | None
    by_track: Mapping[str, float]
    entries: int
    title: str


@dataclass(frozen=True)
class Cell:
    """One date of the map. `level` is 0 where nothing is logged, 1 to 4 by how much is."""

    date: date
    logged: bool = False
    minutes: float | None = None
    entries: int = 0
    level: int = 0
    ahead: bool = False  # not there yet

    def document(self) -> dict[str, Any]:
        return {
            "date": str(self.date),
            "logged": self.logged,
            "minutes": self.minutes,
            "entries": self.entries,
            "level": self.level,
        }


@dataclass(frozen=True)
class Calendar:
    """`weeks` are columns of 7 cells, Monday first; those of the year up to `last`. `by_track` has
    the streaks of each track."""

    first: date
    last: date
    weeks: tuple[tuple[Cell, ...], ...]
    streaks: Streaks
    by_track: Mapping[str, Streaks] = field(default_factory=dict)

    @property
    def cells(self) -> list[Cell]:
        every = (cell for week in self.weeks for cell in week)
        return [cell for cell in every if self.first <= cell.date <= self.last]

    def document(self) -> dict[str, Any]:
        return {
            "first": str(self.first),
            "last": str(self.last),
            "days": [cell.document() for cell in self.cells],
            "streaks": self.streaks.document(),
            "by_track": {track: found.document() for track, found in self.by_track.items()},
        }


def logged(journal: "Journal", track: str | None = None) -> list[Logged]:
    """All days that have come, the oldest first; of one track, with its minutes alone."""
    rows = journal.index.connection.execute(
        "SELECT title, document FROM journal_entries WHERE kind = 'day' AND date <= ? "
        "ORDER BY date",
        (journal.today().isoformat(),),
    )
    every = [logged_of(title, json.loads(document)) for title, document in rows]
    if track is None:
        return every
    return [
        Logged(d.date, d.tracks, d.by_track.get(track), d.by_track, d.entries, d.title)
        for d in every
        if track in d.tracks
    ]


def logged_of(title: str, document: Mapping[str, Any]) -> Logged:
    return Logged(
        date=date.fromisoformat(document["date"]),
        tracks=tuple(document["tracks"]),
        minutes=document["minutes"],
        by_track=document["by_track"],
        entries=document["entries"],
        title=title,
    )


def calendar(journal: "Journal", track: str | None = None, until: date | None = None) -> Calendar:
    """The year that ends with `until`, today by default; streaks are over all days."""
    days = logged(journal, track)
    tracks = sorted({name for day in days for name in day.tracks}) if track is None else [track]
    return of_days(days, tracks, journal.today(), until)


def of_days(
    days: Sequence[Logged], tracks: Sequence[str], today: date, until: date | None = None
) -> Calendar:
    """The same of these days alone."""
    last = until or today
    first = last.replace(day=28) if (last.month, last.day) == (2, 29) else last
    first = first.replace(year=last.year - 1) + timedelta(days=1)
    return Calendar(
        first=first,
        last=last,
        weeks=tuple(weeks(first, last, {day.date: day for day in days}, today)),
        streaks=streaks((day.date for day in days), today),
        by_track={
            name: streaks((day.date for day in days if name in day.tracks), today)
            for name in tracks
        },
    )


def weeks(
    first: date, last: date, days: Mapping[date, Logged], today: date
) -> Iterable[tuple[Cell, ...]]:
    """From the Monday at or before the first date on: 53 of them, or 54."""
    start = first - timedelta(days=first.weekday())
    whole = ((last - start).days // WEEK + 1) * WEEK
    dates = [start + timedelta(days=number) for number in range(whole)]
    shown = [days[day] for day in dates if day in days]
    bounds = quarters([weight(day) for day in shown])
    for number in range(0, len(dates), WEEK):
        yield tuple(
            cell(day, days.get(day), bounds, today) for day in dates[number : number + WEEK]
        )


def cell(day: date, found: Logged | None, bounds: Sequence[float], today: date) -> Cell:
    if found is None:
        return Cell(day, ahead=day > today)
    level = 1 + sum(weight(found) > bound for bound in bounds)
    return Cell(day, True, found.minutes, found.entries, level, day > today)


def weight(day: Logged) -> float:
    """Minutes where the day has them; else what was written counts as ten minutes an entry."""
    return day.minutes if day.minutes is not None else 10.0 * day.entries


def quarters(weights: Iterable[float]) -> list[float]:
    """What separates the four levels: the quarters of the largest."""
    largest = max(weights, default=0.0)
    return [largest * part / LEVELS for part in range(1, LEVELS)] if largest else []
