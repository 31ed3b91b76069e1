"""Streaks: days logged without a break, and the gaps between them. Pure functions of dates."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

ONE = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """From its first date to its last, both included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def document(self) -> dict[str, Any]:
        return {"first": str(self.first), "last": str(self.last), "days": self.days}


@dataclass(frozen=True)
class Streaks:
    """`current` is None where neither today nor yesterday was logged: until midnight, a streak that
    reached yesterday may still go on. `gaps` are between the days, the oldest first, and after the
    last one once it has ended."""

    days: int
    current: Span | None
    longest: Span | None
    gaps: tuple[Span, ...]

    @property
    def missed(self) -> int:
        return sum(gap.days for gap in self.gaps)

    def document(self) -> dict[str, Any]:
        return {
            "days": self.days,
            "current": self.current.document() if self.current else None,
            "longest": self.longest.document() if self.longest else None,
            "gaps": [gap.document() for gap in self.gaps],
            "missed": self.missed,
        }


def streaks(logged: Iterable[date], today: date) -> Streaks:
    """What lies after today does not count yet."""
    dates = sorted({day for day in logged if day <= today})
    spans = [*runs(dates)]
    gaps = [Span(a.last + ONE, b.first - ONE) for a, b in pairwise(spans)]
    current = None
    if spans and spans[-1].last >= today - ONE:
        current = spans[-1]
    elif spans:
        gaps.append(Span(spans[-1].last + ONE, today - ONE))
    # Of several as long, the latest.
    longest = max(spans, key=lambda span: (span.days, span.last), default=None)
    return Streaks(len(dates), current, longest, tuple(gaps))


def runs(dates: Iterable[date]) -> Iterable[Span]:
    """Of dates in order."""
    first = last = None
    for day in dates:
        if last is not None and first is not None and day - last > ONE:
            yield Span(first, last)
            first = day
        first, last = first or day, day
    if first is not None and last is not None:
        yield Span(first, last)


def words(found: Streaks) -> str:
    """`12 days in a row, the longest 30 (2026-01-04 to 2026-02-02); 3 gaps, 9 days missed`."""
    if found.longest is None:
        return "nothing is logged yet"
    now = f"{count(found.current.days)} in a row" if found.current else "no streak now"
    longest = found.longest
    best = f"the longest {longest.days} ({longest.first} to {longest.last})"
    if not found.gaps:
        return f"{now}, {best}; no gaps"
    number = len(found.gaps)
    return f"{now}, {best}; {number} gap{'s' * (number != 1)}, {count(found.missed)} missed"


def count(days: int) -> str:
    return f"{days} day{'s' * (days != 1)}"
