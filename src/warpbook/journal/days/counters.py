"""The count of days: "Day N", "N/365" and "T - N", derived from dates.

A number that the text claims stands beside the derived one, and is never changed. Knows nothing of
files; the ranks come from the index.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from warpbook.journal import ids

if TYPE_CHECKING:
    from warpbook.journal.settings import JournalSettings
    from warpbook.journal.texts.blocks import Line

# In the middle of a sentence only with a capital: "on day 3 of the conference" counts nothing.
DAY = re.compile(
    r"(?:^\s*day|\bD(?:ay|AY))\s*#?\s*(\d{1,5})(?:\s*/\s*(\d{1,5}))?(?![\d/.-]?\d)(.*)"
)
EMPHASIS = re.compile(r"[*`]|__|~~")
# Without the word Day: a fraction of at least 21, so that "3/4 of the tests" is none.
COUNT = re.compile(r"(\d{1,5})\s*/\s*(\d{2,5})(?![\d/])\s+of\s+(.*)", re.IGNORECASE)
LEAST_OF = 21
LEFT = re.compile(r"(?<![\w-])T\s*([-+\u2212\u2013])\s*(\d{1,5})(?![\w.])")
NAME = re.compile(r"\s*of\s+(.+)", re.IGNORECASE)
A_NUMBER = re.compile(r"(\d{1,5})(?:\s+days?\b.*)?$", re.IGNORECASE)
END_OF_NAME = re.compile(r"\s+[-\u2013\u2014|]\s|[,;:!?()\[\]#]|\.(?:\s|$)")
DATED = re.compile(r"(?=\D{0,20}\d)(?:[A-Za-z]{1,9}\W*){0,2}\d[\d/.,-]*(?:\W*\w{1,9}){0,3}\W*")
MARKS = "#>*_~ \t"
LONGEST_NAME = 80


@dataclass(frozen=True)
class Claimed:
    """What one line says: `Day 83/365 of CUDA` or `T - 154`. `left` is below 0 past the target."""

    line: int
    day: int | None = None
    of: int | None = None
    left: int | None = None
    name: str = ""


@dataclass(frozen=True)
class Counter:
    """Of one track on one date. `day` is the rank of the date among those logged on it; `claims`
    are what the day's text says of it."""

    track: str
    day: int
    of: int | None = None
    left: int | None = None
    claims: tuple[Claimed, ...] = ()


def claimed(lines: Sequence["Line"]) -> list[Claimed]:
    """In headings and the first line of the text, wherever in them; in the second line, and in
    paragraphs, that begin with a count."""
    return [found for line, starts in candidates(lines) if (found := in_line(line, starts))]


def candidates(lines: Sequence["Line"]) -> Iterator[tuple["Line", bool]]:
    """Lines to look at, and whether a count must be what they begin with. A post may have its date
    in a line of its own above the count."""
    seen, before, below_a_date = 0, "blank", False
    for line in lines:
        if line.kind == "heading":
            yield line, False
        elif line.kind in ("text", "item"):
            if not seen:
                yield line, False
            elif before != "text" or (seen == 1 and below_a_date):
                yield line, True
        if line.kind in ("heading", "text", "item"):
            said = line.text.strip()
            below_a_date = not seen and len(said) < LONGEST_NAME and bool(DATED.fullmatch(said))
            seen += 1
        before = line.kind


def in_line(line: "Line", starts: bool) -> Claimed | None:
    text = EMPHASIS.sub("", line.text).strip().lstrip(MARKS)
    day, count = DAY.search(text), COUNT.match(text)
    left = LEFT.search(text)
    if starts and not ((day and day.start() == 0) or count or (left and left.start() == 0)):
        return None
    number, of, name = None, None, ""
    if day:
        number, of, name = int(day[1]), int(day[2]) if day[2] else None, day[3]
        name = name_in(name)
    elif count and int(count[2]) >= LEAST_OF:
        number, of, name = int(count[1]), int(count[2]), name_in(f"of {count[3]}")
    if of is None and (amount := A_NUMBER.match(name)):
        of = int(amount[1])
        name = "" if name == amount[1] else name
    days_left = None
    if left:
        days_left = int(left[2]) * (-1 if left[1] == "+" else 1)
    if number is None and days_left is None:
        return None
    return Claimed(line.number, number, of, days_left, name)


def name_in(text: str) -> str:
    """Of ` of GPU programming: softmax` the middle."""
    found = NAME.match(text)
    if found is None:
        return ""
    return END_OF_NAME.split(found[1], maxsplit=1)[0].strip(MARKS).strip()[:LONGEST_NAME]


def ranks(connection: sqlite3.Connection, on: date, tracks: Iterable[str]) -> dict[str, int]:
    """How many days were logged on each of these tracks, up to that date."""
    query = (
        "SELECT count(DISTINCT day.date) FROM journal_entries AS day, "
        "json_each(day.document, '$.tracks') AS track "
        "WHERE day.kind = 'day' AND day.date <= ? AND track.value = ?"
    )
    return {
        track: connection.execute(query, (on.isoformat(), track)).fetchone()[0] for track in tracks
    }


def all_ranks(connection: sqlite3.Connection) -> dict[date, dict[str, int]]:
    """The same of every day and its tracks, for those who ask of many."""
    rows = connection.execute(
        "SELECT DISTINCT day.date, track.value FROM journal_entries AS day, "
        "json_each(day.document, '$.tracks') AS track WHERE day.kind = 'day' ORDER BY day.date"
    )
    found: dict[date, dict[str, int]] = {}
    last: dict[str, int] = {}
    for on, track in rows:
        last[track] = last.get(track, 0) + 1
        found.setdefault(date.fromisoformat(on), {})[track] = last[track]
    return found


def counters(
    connection: sqlite3.Connection,
    settings: "JournalSettings",
    on: date,
    tracks: Sequence[str],
    claims: Sequence[Claimed] = (),
    called: str = "",
    ranked: Mapping[str, int] | None = None,
) -> list[Counter]:
    """`ranked` are the day's ranks, where they are known already."""
    found = []
    counted = ranked or ranks(connection, on, tracks)
    for track in tracks:
        mine = of_track(claims, track, tracks, called)
        known = settings.tracks.get(track)
        of = known.of if known else None
        target = known.target if known else None
        said = [claim.of for claim in mine if claim.of]
        found.append(
            Counter(
                track=track,
                day=counted[track],
                of=of or (said[-1] if said else None),
                left=(target - on).days if target else None,
                claims=tuple(mine),
            )
        )
    return found


def of_track(
    claims: Sequence[Claimed], track: str, tracks: Sequence[str], called: str
) -> list[Claimed]:
    """Those that name it; those that name none of the tracks are the first track's."""
    mine = {ids.plain(track)}
    if called and track == tracks[0]:
        mine |= {ids.plain(name) for name in called.split(" / ")}
    others = {ids.plain(other) for other in tracks} - {ids.plain(track)}
    return [
        claim
        for claim in claims
        if ids.plain(claim.name) in mine
        or (track == tracks[0] and ids.plain(claim.name) not in others)
    ]


def words(counter: Counter) -> str:
    """`Day 21 of gpu (the text says 22), 21/365, T - 154`."""
    parts = [f"Day {counter.day} of {counter.track}"]
    days = [str(claim.day) for claim in counter.claims if claim.day is not None]
    if other := [day for day in dict.fromkeys(days) if day != str(counter.day)]:
        parts[0] += f" (the text says {' and '.join(other)})"
    if counter.of:
        of = [claim.of for claim in counter.claims if claim.of not in (None, counter.of)]
        beside = f" (the text says /{' and /'.join(map(str, dict.fromkeys(of)))})" if of else ""
        parts.append(f"{counter.day}/{counter.of}{beside}")
    lefts = [claim.left for claim in counter.claims if claim.left is not None]
    said = [left_words(left) for left in dict.fromkeys(lefts) if left != counter.left]
    beside = f"the text says {' and '.join(said)}" if said else ""
    if counter.left is not None:
        parts.append(left_words(counter.left) + (f" ({beside})" if beside else ""))
    elif beside:
        parts.append(beside)
    return ", ".join(parts)


def left_words(left: int) -> str:
    return f"T - {left}" if left >= 0 else f"T + {-left}"
