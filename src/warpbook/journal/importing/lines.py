"""The lines of a log as somebody wrote or pasted it, and how a line is dressed.

A log is not always Markdown: only fences, headings, items and rules are looked for. Knows nothing
of dates or posts.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FENCE = re.compile(r"\s{0,3}(?:[-*+]\s+)?(`{3,}|~{3,})(.*)")
HEADING = re.compile(r"\s{0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
BOLD = re.compile(r"\s{0,3}(\*\*|__)(?!\s)(.+?)(?<!\s)\1:?\s*")
UNDERLINE = re.compile(r"\s{0,3}={2,}\s*")
ITEM = re.compile(
    r"([ \t]*)(?:[-*+\u2022\u2023\u25cf]|\d{1,4}[.)])[ \t]+(?:\[([ xX~-])\][ \t]+)?(.*)"
)
RULE = re.compile(r"\s*(?:([-*_=~])(?:\s*\1){2,}|[\u2014\u2500\u23af]{2,})\s*")
BOLD_LEVEL, PLAIN_LEVEL = 7, 8  # what is dressed less than a heading stands below one
MOST_COLUMNS = 4  # of a tab


@dataclass(frozen=True, slots=True)
class Line:
    """`fenced`: inside code, or the fence itself. `level` is a heading's (1 to 6), 7 for a line
    that is bold and nothing else, 8 for any other; `inner` is the text without that dress."""

    number: int
    text: str
    fenced: bool
    level: int
    inner: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def headed(self) -> bool:
        return self.level < BOLD_LEVEL


@dataclass(frozen=True, slots=True)
class Item:
    """`box` is what stands in its brackets, if it has any."""

    indent: int
    box: str
    text: str


def split(text: str) -> list[Line]:
    rows = text.split("\n")
    fenced = fences(rows)
    made = []
    for at, row in enumerate(rows):
        below = rows[at + 1] if at + 1 < len(rows) and at + 1 not in fenced else ""
        level, inner = (PLAIN_LEVEL, row.strip()) if at in fenced else dressed(row, below)
        made.append(Line(at + 1, row, at in fenced, level, inner))
    return made


def fences(rows: Sequence[str]) -> set[int]:
    """A fence that is never closed is a line like any other: nothing after it is hidden."""
    found: set[int] = set()
    ends: dict[str, list[int]] = {"`": [], "~": []}
    for at, row in enumerate(rows):
        if (mark := FENCE.fullmatch(row)) and not mark[2].strip():
            ends[mark[1][0]].append(at)
    at = 0
    while at < len(rows):
        mark = FENCE.fullmatch(rows[at])
        end = closing(rows, ends[mark[1][0]], at, len(mark[1])) if mark else None
        if end is not None:
            found.update(range(at, end + 1))
            at = end
        at += 1
    return found


def closing(rows: Sequence[str], ends: Sequence[int], start: int, length: int) -> int | None:
    for end in ends[bisect_right(ends, start) :]:
        mark = FENCE.fullmatch(rows[end])
        if mark and len(mark[1]) >= length:
            return end
    return None


def dressed(row: str, below: str) -> tuple[int, str]:
    if found := HEADING.fullmatch(row):
        return len(found[1]), (found[2] or "").strip().strip("*_").strip()
    # A line of dashes below is more often a rule between two entries than an underline.
    if row.strip() and UNDERLINE.fullmatch(below) and not RULE.fullmatch(row):
        return 1, row.strip().strip("*_").strip()
    if found := BOLD.fullmatch(row):
        return BOLD_LEVEL, found[2].strip()
    return PLAIN_LEVEL, row.strip()


def item(text: str) -> Item | None:
    found = ITEM.fullmatch(text)
    if found is None:
        return None
    return Item(columns(found[1]), (found[2] or "").lower(), found[3].strip())


def columns(space: str) -> int:
    return len(space.expandtabs(MOST_COLUMNS))


def indent(text: str) -> int:
    return columns(text[: len(text) - len(text.lstrip())])


def is_rule(text: str) -> bool:
    return bool(RULE.fullmatch(text))


def trimmed(lines: Sequence[Line]) -> list[Line]:
    """Without blank lines and rules at both ends."""
    made = list(lines)
    while made and (made[-1].blank or separates(made[-1])):
        made.pop()
    while made and made[0].blank:
        made.pop(0)
    return made


def separates(line: Line) -> bool:
    return not line.fenced and is_rule(line.text)


def joined(lines: Iterable[Line]) -> str:
    return "\n".join(line.text for line in lines)


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of neighbours: 3, 4, 5, 9 are (3, 5) and (9, 9)."""
    made: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if made and number == made[-1][1] + 1:
            made[-1] = (made[-1][0], number)
        else:
            made.append((number, number))
    return made
