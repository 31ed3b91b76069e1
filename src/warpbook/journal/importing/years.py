"""Entries whose year is known, and the years of the others that follow from them.

Works on one way to read a log, which `settling` chose. Pure.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from warpbook.journal.importing.clues import Clue, YearLine
from warpbook.journal.importing.dates import Written

DISORDER = timedelta(days=45)  # a step back of no more is an entry out of order, not a new year
NEAR = timedelta(days=3)  # of a target: people miscount
OLDEST = 30  # years back that weekdays are tried on
NO_TARGET = (
    "T - N, and nothing says to which date; give `target` under [journal.tracks.NAME] in "
    "warpbook.toml"
)
UNKNOWN = "nothing says which year it is; give --year"


@dataclass(frozen=True)
class Anchor:
    day: date
    how: str


def on(day: date, left: int) -> date:
    """The target that "T - left" said on a day counts to."""
    return plus(day, left)


def plus(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min


def dated(year: int, written: Written) -> date | None:
    if written.month is None or written.day is None:
        return None
    try:
        return date(year, written.month, written.day)
    except ValueError:
        return None


def anchors(
    clues: Sequence[Clue],
    written: Sequence[Written | None],
    years: Sequence[YearLine],
    targets: Sequence[date],
    closes: bool,
) -> dict[int, Anchor]:
    found: dict[int, Anchor] = {}
    for at, one in enumerate(written):
        if one and one.year is not None and not one.problem and (day := dated(one.year, one)):
            found[at] = Anchor(day, "as written")
    for line in years:
        opens = line.opens if line.opens is not None else not closes
        near = next_with_month(written, line.position, opens)
        one = written[near] if near is not None else None
        if near is None or one is None or near in found:
            continue
        role = "opens what stands below it" if opens else "closes what stands above it"
        if day := dated(line.year, one):
            found[near] = Anchor(day, f"{line.year} in line {line.line} {role}")
    found.update(by_target(clues, written, targets, found))
    return found


def next_with_month(written: Sequence[Written | None], position: int, opens: bool) -> int | None:
    order = range(position, len(written)) if opens else range(position - 1, -1, -1)
    return next((at for at in order if (one := written[at]) and one.month is not None), None)


def by_target(
    clues: Sequence[Clue],
    written: Sequence[Written | None],
    targets: Sequence[date],
    known: Mapping[int, Anchor],
) -> dict[int, Anchor]:
    """Entries that say T - N, where it is known what T is: from the settings, or from entries that
    say both a whole date and T - N."""
    said = Counter(
        on(anchor.day, left) for at, anchor in known.items() if (left := clues[at].left) is not None
    )
    goals = [goal for goal, _ in said.most_common(1)] + [*targets]
    found: dict[int, Anchor] = {}
    for at, clue in enumerate(clues):
        if clue.left is None or at in known:
            continue
        for goal in goals:
            day = plus(goal, -clue.left)
            one = written[at]
            how = f"T - {clue.left} to {goal}"
            if one is None:
                found[at] = Anchor(day, how)
                break
            near = nearest_year(one, day)
            if near and abs(near - day) <= NEAR:
                found[at] = Anchor(near, how)
                break
    return found


def nearest_year(written: Written, day: date) -> date | None:
    found = [
        one for year in (day.year - 1, day.year, day.year + 1) if (one := dated(year, written))
    ]
    return min(found, key=lambda one: abs(one - day), default=None)


def fallback(
    written: Sequence[Written | None],
    in_time: Sequence[int],
    titles: Sequence[tuple[str, int]],
    asked: int | None,
    today: date,
) -> dict[int, Anchor]:
    """Where no entry's year is known: that of the oldest one, from what the person says, from
    weekdays, or from the log's titles."""
    oldest = next((at for at in in_time if (one := written[at]) and usable(one)), None)
    if oldest is None:
        return {}
    first = written[oldest]
    assert first is not None
    if asked is not None:
        return anchored(oldest, first, asked, f"--year {asked}")
    if year := by_weekdays(written, in_time, oldest, today):
        return anchored(oldest, first, year, f"the weekdays, which fit {year}")
    named = {year for _, year in titles}
    if len(named) == 1:
        [year] = named
        where = next(where for where, one in titles if one == year)
        return anchored(oldest, first, year, f"{year} in {where}")
    return {}


def usable(written: Written) -> bool:
    return written.month is not None and not written.problem


def anchored(at: int, written: Written, year: int, how: str) -> dict[int, Anchor]:
    day = dated(year, written)
    return {at: Anchor(day, how)} if day else {}


def by_weekdays(
    written: Sequence[Written | None], in_time: Sequence[int], oldest: int, today: date
) -> int | None:
    """The latest year in which every date has the weekday that stands beside it."""
    told = [
        at for at in in_time if (one := written[at]) and usable(one) and one.weekday is not None
    ]
    first = written[oldest]
    if not told or first is None:
        return None
    for year in range(today.year, today.year - OLDEST, -1):
        fixed = anchored(oldest, first, year, "")
        if not fixed:
            continue
        days = years_from(written, in_time, fixed)
        if all((day := days.get(at)) and fits(written[at], day, today) for at in told):
            return year
    return None


def fits(written: Written | None, day: date, today: date) -> bool:
    return written is not None and day.weekday() == written.weekday and day <= today


def years_from(
    written: Sequence[Written | None], in_time: Sequence[int], fixed: Mapping[int, Anchor]
) -> dict[int, date]:
    """Forwards from each anchor; what comes before the first, backwards from it."""
    days = {at: anchor.day for at, anchor in fixed.items()}
    ahead: dict[int, date] = {}
    coming: date | None = None
    for at in reversed(in_time):
        coming = days.get(at) or coming
        if coming:
            ahead[at] = coming
    before: date | None = None
    waiting: list[int] = []
    for at in in_time:
        one = written[at]
        if at in days:
            before = days[at]
        elif one and usable(one):
            day = soonest(one, before - DISORDER) if before else None
            if day and at in ahead and day > ahead[at] + DISORDER:
                day = latest(one, ahead[at] + DISORDER)
            if day:
                days[at] = before = day
            elif before is None:
                waiting.append(at)
    after: date | None = None
    for at in reversed(in_time):
        one = written[at]
        if at in days:
            after = days[at]
        elif at in waiting and after and one and (day := latest(one, after + DISORDER)):
            days[at] = after = day
    return days


def soonest(written: Written, floor: date) -> date | None:
    """The first such day that is not before `floor`; None if it is none in that year."""
    same = rough(floor.year, written)
    year = floor.year if same >= floor else floor.year + 1
    return dated(year, written)


def latest(written: Written, ceiling: date) -> date | None:
    same = rough(ceiling.year, written)
    year = ceiling.year if same <= ceiling else ceiling.year - 1
    return dated(year, written)


def rough(year: int, written: Written) -> date:
    return dated(year, written) or date(year, 3, 1)  # February 29 in a year without one


def nearest(placed: Sequence[tuple[int, int]], place: int) -> int:
    after = bisect_left(placed, (place, 0))
    around = placed[max(0, after - 1) : after + 1]
    return min(around, key=lambda pair: abs(pair[0] - place))[1]


def spread_out(
    clues: Sequence[Clue],
    written: Sequence[Written | None],
    in_time: Sequence[int],
    fixed: Mapping[int, Anchor],
    today: date,
) -> tuple[list[date | None], list[str]]:
    """A date in the future is its entry's own, and nothing follows from it."""
    past = {at: anchor for at, anchor in fixed.items() if anchor.day <= today}
    days = years_from(written, in_time, past)
    days |= {at: anchor.day for at, anchor in fixed.items()}
    hows = []
    position = {at: place for place, at in enumerate(in_time)}
    placed = sorted((position[at], at) for at in past)
    for at, one in enumerate(written):
        if at in fixed:
            hows.append(fixed[at].how)
        elif at in days and placed:
            near = nearest(placed, position[at])
            source = fixed[near]
            beside = f"{source.day} in line {clues[near].line}"
            more = "" if source.how == "as written" else f" ({source.how})"
            hows.append(f"its place among the entries, from {beside}{more}")
        elif one is None:
            hows.append(NO_TARGET if clues[at].left is not None else "it has no date")
        elif one.month is None:
            hows.append("a weekday, and no dated entry before it to count from")
        elif fixed and one.month == 2 and one.day == 29:
            hows.append("February 29 is no date in the year that it stands in")
        else:
            hows.append(UNKNOWN)
    return [days.get(at) for at in range(len(written))], hows
