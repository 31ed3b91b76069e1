"""What the entries and the years of a log say of dates, what the person says, and the settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from warpbook.journal.importing.dates import Written


@dataclass(frozen=True)
class Clue:
    """What an entry itself says of its date."""

    line: int
    written: Written | None
    left: int | None = None
    day: int | None = None
    name: str = ""


@dataclass(frozen=True)
class YearLine:
    """`position`: how many entries stand above. `opens` is None where it could close them."""

    line: int
    year: int
    position: int
    opens: bool | None = None


def with_roles(years: Sequence[YearLine], entries: int) -> list[YearLine]:
    """One above all entries opens what follows, and then so do the others; one below all of them
    closes."""
    first = any(one.position == 0 for one in years)
    last = any(one.position == entries and entries for one in years)
    every = None if first == last else first
    return [
        replace(one, opens=role_of(one, entries, every)) if one.opens is None else one
        for one in years
    ]


def role_of(one: YearLine, entries: int, every: bool | None) -> bool | None:
    if one.position in (0, entries):
        return one.position == 0
    return every


@dataclass(frozen=True)
class Asked:
    """What the person says of the log, and what the settings know."""

    today: date
    year: int | None = None
    order: str = ""  # newest or oldest
    first: str = ""  # month or day
    start: date | None = None
    targets: tuple[date, ...] = ()
