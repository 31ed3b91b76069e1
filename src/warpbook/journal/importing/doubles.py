"""Entries that are there twice: the same count or date, and the same text up to spaces.

The copy that says most is kept: one with a date, else the longest, else the first. Pure.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from warpbook.journal.ids import plain
from warpbook.journal.importing.entries import Entry

ELLIPSES = ("\u2026", "...")
LEAST = 40  # characters of a text that was cut short, to be held for another's beginning
ALIKE = 0.9
LONGEST_COMPARED = 4000
MOST_COMPARED = 20  # others of the same count


@dataclass(frozen=True)
class Double:
    """`copy` says what `kept` says; both are places in the list of entries."""

    copy: int
    kept: int


@dataclass(frozen=True)
class Found:
    doubled: list[Double]
    alike: list[tuple[int, int]]  # both are kept


def find(entries: Sequence[Entry]) -> Found:
    groups: dict[object, list[int]] = defaultdict(list)
    for at, entry in enumerate(entries):
        if key := key_of(entry):
            groups[key].append(at)
    doubled: list[Double] = []
    alike: list[tuple[int, int]] = []
    for group in groups.values():
        if len(group) > 1:
            compare(entries, group, doubled, alike)
    return Found(sorted(doubled, key=lambda one: one.copy), sorted(alike))


def key_of(entry: Entry) -> object:
    """The count, else the date as it is written."""
    if entry.day is not None:
        return ("day", entry.day.day, entry.day.of)
    written = entry.written
    return ("date", written.year, written.month, written.day) if written and written.month else None


def compare(
    entries: Sequence[Entry], group: list[int], doubled: list[Double], alike: list[tuple[int, int]]
) -> None:
    texts = {at: text_of(entries[at]) for at in group}
    order = sorted(group, key=lambda at: (entries[at].written is None, -len(texts[at]), at))
    kept: list[int] = []
    for at in order:
        others = kept[-MOST_COMPARED:]
        same = next((one for one in others if says_again(entries, texts, at, one)), None)
        if same is not None:
            doubled.append(Double(at, same))
            continue
        near = next((one for one in others if close(texts[at], texts[one])), None)
        if near is not None:
            alike.append((near, at))
        kept.append(at)


def says_again(entries: Sequence[Entry], texts: dict[int, str], at: int, other: int) -> bool:
    if apart(entries[at], entries[other]):
        return False
    one, two = texts[at], texts[other]
    if one == two:
        return True
    short = one.rstrip("".join(ELLIPSES)).rstrip()
    return one.endswith(ELLIPSES) and len(short) >= LEAST and two.startswith(short)


def apart(one: Entry, other: Entry) -> bool:
    """Dates that differ keep two entries apart, whatever they say."""
    a, b = one.written, other.written
    if a is None or b is None:
        return False
    years = a.year is not None and b.year is not None and a.year != b.year
    return years or (a.month, a.day) != (b.month, b.day)


def text_of(entry: Entry) -> str:
    """Without the line of its date, where the count has a line of its own."""
    lines = entry.lines[1:] if entry.posted and entry.mark.kind == "date" else entry.lines
    return plain(" ".join(line.text for line in lines))


def close(one: str, other: str) -> bool:
    if not one or not other or max(len(one), len(other)) > LONGEST_COMPARED:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE
