"""Which date each entry has, where the log leaves years, or the order of month and day, open.

Every way to read the log (newest or oldest first, month or day first, a year that closes or opens)
is tried, and what speaks against it is counted. An entry has a date only if all of the best ways
agree on it; each says how it was settled. Pure: knows entries' clues, not their texts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise, product
from math import log10

from warpbook.journal.importing.clues import Asked, Clue, YearLine
from warpbook.journal.importing.dates import WEEKDAYS, Written
from warpbook.journal.importing.years import anchors, fallback, on, spread_out

CLOSE = 0.2  # of what speaks against two ways to read: less is no difference
REASONS = {
    "asked": "as asked for",
    "shows": "other dates of the log can be read no other way",
    "target": "T - N agrees only so",
    "weekday": "the weekdays agree only so",
    "order": "the entries are in order only so",
    "counter": "the counts agree only so",
    "year": "the years agree only so",
    "future": "they would lie in the future otherwise",
    "spread": "the entries lie close together only so",
}


@dataclass(frozen=True)
class Way:
    newest: bool
    day_first: bool
    closes: bool


@dataclass
class Read:
    """The log read one way: a date and how it came about for each entry."""

    way: Way
    dates: list[date | None]
    hows: list[str]
    against: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        return sum(self.against.values())


@dataclass(frozen=True)
class Settled:
    """`problem` says why there is no date."""

    date: date | None
    how: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Settlement:
    entries: list[Settled]
    newest: bool
    order: str  # in words, empty where it makes no difference


def settle(
    clues: Sequence[Clue],
    years: Sequence[YearLine],
    titles: Sequence[tuple[str, int]],
    asked: Asked,
) -> Settlement:
    reads = [read(clues, years, titles, asked, way) for way in ways(clues, years, asked)]
    least = min(one.total for one in reads)
    best = [one for one in reads if one.total <= least + CLOSE]
    best.sort(key=lambda one: one.total)
    turned = why(reads, best[0], "day_first")
    made = [entry(clue, at, best, turned, asked) for at, clue in enumerate(clues)]
    reason = why(reads, best[0], "newest")
    order = ""
    if len(clues) > 1 and reason:
        order = f"{'newest' if best[0].way.newest else 'oldest'} first: {reason}"
    return Settlement(made, best[0].way.newest, order)


def ways(clues: Sequence[Clue], years: Sequence[YearLine], asked: Asked) -> list[Way]:
    newest = [asked.order == "newest"] if asked.order else [False, True]
    either = any(clue.written and clue.written.either for clue in clues)
    day_first = [asked.first == "day"] if asked.first else [False, True] if either else [False]
    closes = [False, True] if any(one.opens is None for one in years) else [False]
    return [Way(*one) for one in product(newest, day_first, closes)]


def read(
    clues: Sequence[Clue],
    years: Sequence[YearLine],
    titles: Sequence[tuple[str, int]],
    asked: Asked,
    way: Way,
) -> Read:
    written = [
        clue.written.turned() if clue.written and way.day_first else clue.written for clue in clues
    ]
    in_time = ordered(len(clues), way.newest)
    fixed = anchors(clues, written, years, asked.targets, way.closes)
    if all(one.day > asked.today for one in fixed.values()):
        fixed |= fallback(written, in_time, titles, asked.year, asked.today)
    dates, hows = spread_out(clues, written, in_time, fixed, asked.today)
    weekdays_alone(written, in_time, dates, hows)
    made = Read(way, dates, hows)
    made.against = against(clues, written, years, made, asked)
    return made


def ordered(count: int, newest: bool) -> Sequence[int]:
    """The places of entries, the oldest first."""
    return range(count - 1, -1, -1) if newest else range(count)


def weekdays_alone(
    written: Sequence[Written | None],
    in_time: Sequence[int],
    dates: list[date | None],
    hows: list[str],
) -> None:
    """ "Monday" is the first one after the entry before it."""
    before: date | None = None
    for at in in_time:
        one = written[at]
        if one and one.month is None and one.weekday is not None and before:
            step = (one.weekday - before.weekday() - 1) % 7 + 1
            dates[at] = before + timedelta(days=step)
            hows[at] = f"the first {WEEKDAYS[one.weekday].title()} after {before}"
        before = dates[at] or before


def against(
    clues: Sequence[Clue],
    written: Sequence[Written | None],
    years: Sequence[YearLine],
    made: Read,
    asked: Asked,
) -> dict[str, float]:
    dates = made.dates
    in_time = [at for at in ordered(len(clues), made.way.newest) if dates[at]]
    known = sorted(in_time)
    days = {at: dates[at] for at in known}
    steps = [((days[b] or date.min) - (days[a] or date.min)).days for a, b in pairwise(in_time)]
    found: dict[str, float] = {
        "order": sum(1.0 for step in steps if step < 0) + 0.5 * unplaced(written, dates),
        "future": 3 * sum(1 for one in days.values() if one and one > asked.today),
        "spread": closeness(steps),
        "weekday": sum(1 for at in known if wrong_weekday(written[at], days[at])),
        "target": targets_missed(clues, days, asked.targets),
        "asked": 3.0 * (asked.year is not None and otherwise(written, made, asked.year)),
        "counter": counts_missed(clues, in_time, days),
        "year": years_missed(years, dates, made.way.closes),
        "shows": 2 * sum(1 for one in written if one and shown_otherwise(one, made.way.day_first)),
    }
    return {name: value for name, value in found.items() if value}


def unplaced(written: Sequence[Written | None], dates: Sequence[date | None]) -> int:
    """Weekdays with no entry before them to count from."""
    both = zip(written, dates, strict=True)
    return sum(1 for one, day in both if one and one.month is None and day is None)


def closeness(steps: Sequence[int]) -> float:
    """From 0 for a day between entries to 0.6 for a hundred and more."""
    mean = sum(abs(step) for step in steps) / len(steps) if steps else 1
    return 0.3 * min(2.0, log10(max(mean, 1.0)))


def wrong_weekday(written: Written | None, day: date | None) -> bool:
    return bool(
        written and day and written.weekday is not None and written.weekday != day.weekday()
    )


def shown_otherwise(written: Written, day_first: bool) -> bool:
    return bool(written.shows) and (written.shows == "day") != day_first


def otherwise(written: Sequence[Written | None], made: Read, year: int) -> bool:
    """Whether the oldest entry that does not say its year is of another than was asked for."""
    for at in ordered(len(written), made.way.newest):
        one, day = written[at], made.dates[at]
        if one and one.month is not None and one.year is None and day is not None:
            return year != day.year
    return False


def targets_missed(
    clues: Sequence[Clue], days: Mapping[int, date | None], targets: Sequence[date]
) -> float:
    said = Counter(
        on(day, clue_left)
        for at, day in days.items()
        if (clue_left := clues[at].left) is not None and day
    )
    lost = sum(1 for at, clue in enumerate(clues) if clue.left is not None and at not in days)
    if not said:
        return float(lost)
    fits = max(max(said.values()), *(said.get(target, 0) for target in targets), 0)
    return float(said.total() - fits + lost)


def counts_missed(
    clues: Sequence[Clue], in_time: Sequence[int], days: Mapping[int, date | None]
) -> float:
    """Counts that go down while time goes on, and half a point for steps that are not the same."""
    pairs = wrong = uneven = 0
    counted = [at for at in in_time if clues[at].day is not None]
    for a, b in pairwise(counted):
        if clues[a].name != clues[b].name:
            continue
        step = (clues[b].day or 0) - (clues[a].day or 0)
        gone = ((days[b] or date.min) - (days[a] or date.min)).days
        pairs += 1
        wrong += step < 0 < gone or gone < 0 < step or (step < 0 and gone < 0)
        uneven += step != gone
    return wrong + (0.5 * uneven / pairs if pairs else 0.0)


def years_missed(years: Sequence[YearLine], dates: Sequence[date | None], closes: bool) -> int:
    """Entries that are not of the year whose line stands next to them; all up to the next such
    line, where there are several."""
    missed = 0
    lines = sorted(years, key=lambda one: one.position)
    for at, one in enumerate(lines):
        if one.opens if one.opens is not None else not closes:
            last = lines[at + 1].position if at + 1 < len(lines) else len(dates)
            inside = range(one.position, last)
        else:
            first = lines[at - 1].position if at else 0
            inside = range(one.position - 1, first - 1, -1)
        some = inside if len(lines) > 1 else inside[:1]
        missed += sum(1 for i in some if (day := dates[i]) and day.year != one.year)
    return missed


def why(reads: Sequence[Read], best: Read, part: str) -> str:
    """What speaks against the other way; empty where nothing does."""
    chosen: bool = getattr(best.way, part)
    others = [one for one in reads if getattr(one.way, part) != chosen]
    if not others:
        return REASONS["asked"]
    other = min(others, key=lambda one: one.total)
    if other.total <= best.total + CLOSE:
        return ""
    gained = {name: value - best.against.get(name, 0.0) for name, value in other.against.items()}
    return REASONS[max(gained, key=lambda name: gained[name])]


def entry(clue: Clue, at: int, best: Sequence[Read], turned: str, asked: Asked) -> Settled:
    if clue.written and clue.written.problem:
        return Settled(None, problem=clue.written.problem)
    found = {one.dates[at] for one in best}
    if len(found) > 1:
        return Settled(None, problem=ambiguous(at, best))
    day, how = best[0].dates[at], best[0].hows[at]
    if day is None:
        return Settled(None, problem=how)
    if clue.written and clue.written.either:
        how += f", {'day' if best[0].way.day_first else 'month'} first: {turned or 'both agree'}"
    if day > asked.today:
        return Settled(None, problem=f"{day} is in the future ({how})")
    return Settled(day, how)


def ambiguous(at: int, best: Sequence[Read]) -> str:
    """Which dates it could have, and what settles it."""
    dates = sorted({one.dates[at] for one in best if one.dates[at]}, key=str)
    helps = []
    if matters(at, best, "day_first"):
        helps.append("--month-first or --day-first")
    if matters(at, best, "newest"):
        helps.append("--newest-first or --oldest-first")
    if matters(at, best, "closes") or not helps:
        helps.append("--year")
    said = " or ".join(str(one) for one in dates) if len(dates) > 1 else "several dates"
    return f"could be {said}; say which with {', '.join(helps)}"


def matters(at: int, best: Sequence[Read], part: str) -> bool:
    """Whether the date hangs on that choice alone."""
    found: dict[bool, set[date | None]] = {}
    for one in best:
        found.setdefault(getattr(one.way, part), set()).add(one.dates[at])
    return len(found) > 1 and found[False] != found[True]
