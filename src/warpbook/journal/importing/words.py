"""What an import understood and did, in words for people: short for a log of any length.

Long lists are cut with a count, and reasons that many lines share are said once; the document in
`report` has all. Knows nothing of terminals: whoever shows the lines makes them fit to be shown.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from warpbook.journal.days.counters import left_words
from warpbook.journal.importing.contents import Contents
from warpbook.journal.importing.fresh import Done
from warpbook.journal.importing.links import plain_title
from warpbook.journal.importing.lists import Found
from warpbook.journal.importing.logs import Log, New
from warpbook.journal.importing.understood import Dated, Left, Understood
from warpbook.journal.sharing.marked import CARDS, DAY, HEAD, READING

WHOLE = 20  # rows of a list that is not cut
MOST = 10  # of one that is
MOST_RUNS = 8  # of lines that were not understood for one reason
MOST_TEXTS = 3  # lines shown of each
MOST_NUMBERS = 6  # of lines that name one item
LONGEST = 160  # characters of one of them
FIGURE = re.compile(r"\d{4}-\d\d-\d\d|\d+")
Said = Iterator[tuple[str, bool]]  # lines, and whether each is a heading


def words(log: Log, fresh: New, done: Done | None) -> Said:
    found = log.found
    yield str(log.path), True
    if isinstance(found, Contents):
        yield from of_contents(found, fresh)
    else:
        yield from of_understood(found, fresh)
    if found.problems:
        yield "wrong", True
        yield from rows([str(problem) for problem in found.problems])
    if done:
        yield from of_done(done)


def rows(said: Sequence[str], ends: bool = False, space: str = "  ") -> Said:
    """The first of them, or those at both ends, and how many more there are."""
    if len(said) <= WHOLE:
        yield from ((f"{space}{one}", False) for one in said)
        return
    last = MOST // 2 if ends else 0
    yield from ((f"{space}{one}", False) for one in said[: MOST - last])
    yield f"{space}... {len(said) - MOST} more; --json lists them all", False
    yield from ((f"{space}{one}", False) for one in said[len(said) - last :])


def of_contents(found: Contents, fresh: New) -> Said:
    yield "written by warpbook export log", False
    kinds = ((DAY, "days", fresh.days), (READING, "reading", fresh.reading))
    for kind, name, new in (*kinds, (CARDS, "cards", fresh.cards)):
        count = sum(part.kind == kind and part.piece != HEAD for part in found.parts)
        if count:
            yield counted(name, count, new), False
    if found.left:
        yield f"not understood: {many(len(found.left), 'line')}", True
        yield from rows([f"line {line}: {text} ({why})" for line, text, why in found.left])


def of_understood(found: Understood, fresh: New) -> Said:
    if found.order:
        yield found.order, False
    for track, names in found.tracks.items():
        also = f", also called {', '.join(names)}" if names else ""
        yield f"track {track}{also}", False
    yield from of_days(found, fresh)
    if found.reading:
        yield counted("reading", len(found.reading), fresh.reading), True
        yield from rows([*map(of_item, found.reading)])
    if found.cards:
        yield counted("cards, to be approved", len(found.cards), fresh.cards), True
        yield from rows(
            [f"line {card.line}: {' '.join(card.question.split())}" for card in found.cards]
        )
    claims = [f"{day.date}: {claim}" for day in found.days for claim in day.claims]
    if claims:
        yield f"measured claims, unverified until linked to a run: {len(claims)}", True
        yield from rows(claims)
    if doubled := [*copies(found), *again(found)]:
        yield "looks doubled", True
        yield from rows(doubled)
    yield from of_signs(found)
    yield from of_left(found)


def of_days(found: Understood, fresh: New) -> Said:
    if not found.days:
        yield "days: none", True
        return
    dates = sorted(day.date for day in found.days)
    until = f" to {dates[-1]}" if dates[-1] > dates[0] else ""
    yield f"{counted('days', len(dates), fresh.days)}, {dates[0]}{until}", True
    hows = Counter(kind_of(day.how) for day in found.days)
    settled = "; ".join(f"{how} ({count})" for how, count in hows.most_common())
    yield f"  dates: {settled}", False
    one_track = len(found.tracks) == 1
    yield from rows([of_day(day, one_track) for day in found.days], ends=True)


def kind_of(how: str) -> str:
    """Without what differs from one entry to the next."""
    if how.startswith("the first "):
        return "a weekday alone"
    return FIGURE.sub("\u2026", how.partition(", from ")[0])


def of_day(day: Dated, one_track: bool) -> str:
    said = [f"{day.date}  line {day.line}"]
    if day.day is not None:
        said.append(f"Day {day.day}" + (f"/{day.of}" if day.of else ""))
    if day.left is not None:
        said.append(left_words(day.left))
    if not one_track:
        said.append(day.track)
    if day.called:
        said.append(f"called {day.called}")
    if not day.how.startswith("as written"):
        said.append(f"({day.how})")
    return "  ".join(said)


def of_item(item: Found) -> str:
    cut = " (cut short)" if item.cut else ""
    notes = f", {many(len(item.notes.split()), 'word')} of notes" if item.notes else ""
    named = item.title if item.title != plain_title(item.address) else ""
    said = " ".join(part for part in (named, item.address) if part)
    return f"line {item.line}: {item.topic or 'general'}: {said}{cut}{notes}"


def copies(found: Understood) -> Iterator[str]:
    for copy in found.doubled:
        yield f"{span(copy.line, copy.last)}: what line {copy.kept} says: {copy.text}"
    for one, other in found.alike:
        yield f"lines {one} and {other} begin entries that are much alike; both are kept"


def again(found: Understood) -> Iterator[str]:
    """What is said more than once, and kept: a count, a date, an address."""
    counts: dict[tuple[str, int], list[int]] = {}
    dates: dict[str, list[int]] = {}
    for day in found.days:
        dates.setdefault(str(day.date), []).append(day.line)
        if day.day is not None:
            counts.setdefault((day.track, day.day), []).append(day.line)
    for (track, number), lines in counts.items():
        if len(lines) > 1:
            yield f"{numbers(lines)}: Day {number} of {track} each; all are kept as they are"
    for date, lines in dates.items():
        if len(lines) > 1:
            yield f"{numbers(lines)}: {date} each; they become one day"
    for item in found.reading:
        if item.again:
            yield f"{numbers(item.again)}: the item of line {item.line}, {item.title}"


def numbers(lines: Sequence[int]) -> str:
    shown = [str(line) for line in lines[:MOST_NUMBERS]]
    more = [f"{len(lines) - MOST_NUMBERS} more"] if len(lines) > MOST_NUMBERS else []
    *first, last = [*shown, *more]
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"


def of_signs(found: Understood) -> Said:
    if not found.signs:
        return
    yield "read as signs", True
    rules = [sign for sign in found.signs if sign.what.startswith("a rule")]
    some = [sign for sign in found.signs if len(rules) <= 1 or sign not in rules]
    yield from rows([f"line {sign.line}: {sign.text} ({sign.what})" for sign in some])
    if len(rules) > 1:
        yield f"  {len(rules)} rules between entries, from line {rules[0].line}", False


def of_left(found: Understood) -> Said:
    """By reason, each said once."""
    if not found.left:
        return
    yield f"not understood: {many(sum(map(count_of, found.left)), 'line')}", True
    whys: dict[str, list[Left]] = {}
    for one in found.left:
        whys.setdefault(FIGURE.sub("\u2026", one.why), []).append(one)
    for kind, runs in whys.items():
        same = len({one.why for one in runs}) == 1
        count = many(sum(map(count_of, runs)), "line")
        yield f"  {runs[0].why if same else kind}: {count}", False
        most = MOST_TEXTS if len(runs) <= MOST_RUNS else 1
        for one in runs[:MOST_RUNS]:
            yield from ((f"    {text}", False) for text in run_words(one, most, not same))
        if (more := len(runs) - MOST_RUNS) > 0:
            last = runs[-1].last
            yield f"    ... {more} more, up to line {last}; --json lists them all", False


def count_of(left: Left) -> int:
    return sum(1 for text in left.texts if text.strip())


def run_words(left: Left, most: int, with_why: bool) -> list[str]:
    texts = [(number, text) for number, text in enumerate(left.texts, left.line) if text.strip()]
    shown = texts[:most]
    said = [f"{number}: {shortened(text)}" for number, text in shown]
    if with_why:
        said[0] += f" ({left.why})"
    if len(texts) > most:
        said[-1] += f" ... to line {left.last}"
    return said


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "\u2026"


def of_done(done: Done) -> Said:
    parts = (
        many(done.days, "day"),
        f"{done.reading} reading" if done.reading else "",
        many(done.notes, "note"),
        many(done.cards, "card"),
    )
    said = ", ".join(one for one in parts if one and not one.startswith("0 "))
    yield f"taken in: {said or 'nothing new'}", True
    if done.before:
        yield f"taken in before: {done.before}", False
    if done.there:
        yield f"in the book already: {done.there}", False
    yield from rows([f"not now: {line}" for line in done.failed], space="")


def many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def counted(name: str, count: int, new: int) -> str:
    known = f" ({count - new} of them taken in before)" if new < count else ""
    return f"{name}: {count}{known}"


def span(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"
