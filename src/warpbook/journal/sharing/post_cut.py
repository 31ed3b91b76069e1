"""A long text cut to one post, or into the posts of a thread: at paragraphs, lines, sentences or
words, and inside a word only where that is longer than a post.

Knows nothing of Markdown or of days.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from warpbook.journal.sharing.post_weight import LINK, atoms, weight

LIMIT = 280
ELLIPSIS = "…"
# Where a post may end, from the worst place to the best.
INSIDE, WORD, SENTENCE, LINE, PARAGRAPH = range(5)
SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
# Scripts without spaces end their sentences with these.
WIDE_ENDS = re.compile(r"[^。！？]*[。！？]+[」』）”’]*|[^。！？]+")
GAP = re.compile(r"(\s*)(\S+)")
LEAST_PART = 0.5  # of a post must be full for it to end at the best place rather than the last


@dataclass(frozen=True)
class Unit:
    """A word, or a part of one, with the space before it and how good a place that is to cut."""

    gap: str
    text: str
    place: int


def single(text: str, limit: int = LIMIT) -> str:
    """All of it, if it fits; else what comes before a good place, and an ellipsis."""
    composed = unicodedata.normalize("NFC", text.strip())
    if weight(composed) <= limit:
        return composed
    room = limit - weight(f" {ELLIPSIS}")
    units = [*islice(units_of(composed, room), room + 1)]  # each weighs something
    return shortened(joined(units[: fitting(units, 0, room)]))


def shortened(text: str) -> str:
    """An ellipsis never touches an address, which would then look cut, nor a full stop."""
    bare = text.rstrip(" \n,;:-–—")
    last = bare.split()[-1] if bare.split() else ""
    apart = SENTENCE_END.search(bare) or LINK.search(last)
    return f"{bare}{' ' if apart else ''}{ELLIPSIS}"


def thread(text: str, limit: int = LIMIT) -> list[str]:
    """One post as it is; several are numbered: `1/4 ...`."""
    composed = unicodedata.normalize("NFC", text.strip())
    if weight(composed) <= limit:
        return [composed]
    digits = 1
    while True:
        room = limit - len(f"{'9' * digits}/{'9' * digits} ")
        parts = [*packed([*units_of(composed, room)], room)]
        if len(str(len(parts))) <= digits:
            return [f"{number}/{len(parts)} {part}" for number, part in enumerate(parts, 1)]
        digits += 1


def packed(units: Sequence[Unit], room: int) -> Iterator[str]:
    at = 0
    while at < len(units):
        end = fitting(units, at, room)
        yield joined(units[at:end])
        at = end


def fitting(units: Sequence[Unit], at: int, room: int) -> int:
    """Where the post that begins with unit `at` ends; it takes at least that one."""
    total, full = 0, dict[int, int]()  # how full it is before each unit
    end = at
    while end < len(units):
        full[end] = total
        total += weight(units[end].text) + (len(units[end].gap) if end > at else 0)
        if total > room:
            break
        end += 1
    # Parts of one word weigh more together where they make an address.
    while end > at + 1 and weight(joined(units[at:end])) > room:
        end -= 1
    if end >= len(units):
        return end
    ends = [one for one in range(at + 1, end + 1) if full[one] >= LEAST_PART * room]
    return max(ends, key=lambda one: (units[one].place, one), default=max(end, at + 1))


def joined(units: Sequence[Unit]) -> str:
    return "".join(unit.gap * (number > 0) + unit.text for number, unit in enumerate(units))


def units_of(text: str, room: int) -> Iterator[Unit]:
    before = ""
    for found in GAP.finditer(text):
        gap = "\n\n" if found[1].count("\n") > 1 else "\n" if "\n" in found[1] else " "
        place = {"\n\n": PARAGRAPH, "\n": LINE}.get(gap, WORD)
        if place == WORD and SENTENCE_END.search(before):
            place = SENTENCE
        for number, sentence in enumerate(WIDE_ENDS.findall(found[2])):
            for part, piece in enumerate(pieces(sentence, room)):
                first = not number and not part
                inner = INSIDE if part else SENTENCE
                yield Unit(gap if first else "", piece, place if first else inner)
        before = found[2]


def pieces(word: str, room: int) -> Iterator[str]:
    """A word as it is, or in parts that each fit."""
    if weight(word) <= room:
        yield word
        return
    parts, at = [*smallest(word, room)], 0
    while at < len(parts):
        total = end = 0
        for end in range(at, len(parts) + 1):
            if end == len(parts) or (total := total + weight(parts[end])) > room:
                break
        # What is left of a word may be an address where the whole was none.
        while end > at + 1 and weight("".join(parts[at:end])) > room:
            end -= 1
        yield "".join(parts[at:end])
        at = end


def smallest(word: str, room: int) -> Iterator[str]:
    """A character with more marks than a post holds is cut after all."""
    for atom in atoms(word):
        yield from [atom] if weight(atom) <= room else atom
