"""A log cut into what stands in it: entries that begin with a date or a count, sections under
headings, years, and what lies around posts.

Every line that is not blank ends up in exactly one of them. Knows nothing of which date an entry
has in the end.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from warpbook.journal import ids
from warpbook.journal.days.counters import Claimed
from warpbook.journal.importing import links, noise
from warpbook.journal.importing.dates import Written
from warpbook.journal.importing.lines import (
    BOLD_LEVEL,
    PLAIN_LEVEL,
    Line,
    is_rule,
    separates,
    trimmed,
)
from warpbook.journal.importing.marks import Mark

AROUND_NAME = re.compile(r"^[^\w]+|[^\w+)]+$")
AROUND = "around posts: names, counts, other people's text"
HEADER = 6  # lines above a post that may say whose it is and when


@dataclass
class Entry:
    """`posted`: its count stands in a line of its own, as a post has it."""

    mark: Mark
    lines: list[Line]
    written: Written | None
    day: Claimed | None = None
    left: int | None = None
    posted: bool = False

    @property
    def name(self) -> str:
        """What it calls the track, without the pictures around it."""
        return AROUND_NAME.sub("", self.day.name) if self.day else ""

    @property
    def number(self) -> int:
        return self.mark.number

    @property
    def pasted(self) -> bool:
        """Whether signs of a page it was copied from would end it."""
        return self.posted and self.mark.level == PLAIN_LEVEL

    def take(self, claimed: Claimed | None) -> None:
        if claimed is None:
            return
        if claimed.day is not None and self.day is None:
            self.day = claimed
        if claimed.left is not None and self.left is None:
            self.left = claimed.left


@dataclass
class Section:
    """What stands under a heading outside of any entry. `titles` are those of the headings above
    it, its own last, each with its level."""

    heading: Line | None
    titles: tuple[tuple[int, str], ...]
    lines: list[Line] = field(default_factory=list)


@dataclass
class Year:
    """`position`: how many entries stand above it."""

    mark: Mark
    position: int


@dataclass
class Log:
    entries: list[Entry] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    years: list[Year] = field(default_factory=list)
    around: list[tuple[Line, str]] = field(default_factory=list)
    rules: list[Line] = field(default_factory=list)


def cut(lines: Sequence[Line], found: dict[int, Mark]) -> Log:
    return Cutter(lines, found).cut()


class Cutter:
    def __init__(self, lines: Sequence[Line], found: dict[int, Mark]) -> None:
        self.lines, self.marks = lines, found
        self.log = Log()
        self.entry: Entry | None = None
        self.section = Section(None, ())
        self.foreign = ""  # why what comes now is nobody's entry
        self.own = own_handle(lines, found)
        self.linked = links.sections(lines, found)
        titles = Counter(ids.plain(line.inner) for line in lines if heads(line, found))
        self.repeated = {title for title, count in titles.items() if count > 1}

    def cut(self) -> Log:
        for at, line in enumerate(self.lines):
            self.read(at, line)
        self.close()
        return self.log

    def read(self, at: int, line: Line) -> None:
        mark = self.marks.get(line.number)
        if mark and mark.kind == "year":
            self.leave()
            self.log.years.append(Year(mark, len(self.log.entries)))
        elif mark and mark.kind == "date" and self.holds(at):
            self.begin(mark, line)
        elif mark and mark.kind == "post":
            self.post(at, mark, line)
        elif heads(line, self.marks) and self.leads_away(line):
            self.head(line)
        elif self.entry and self.entry.pasted and self.ends_a_post(at, line):
            self.around(line)
        else:
            self.add(line)

    def add(self, line: Line) -> None:
        if self.entry:
            self.entry.lines.append(line)
        elif self.foreign:
            if not line.blank:
                self.log.around.append((line, self.foreign))
        else:
            self.section.lines.append(line)

    def holds(self, at: int) -> bool:
        """A date among the lines above somebody's post is that post's, ours or another's; 2/3 in a
        post is the second of three."""
        written = self.marks[at + 1].written
        if self.entry and self.entry.pasted and written and written.is_fraction:
            return False
        above = self.lines[at - 1] if at else None
        if above is None or above.blank or self.marks[at + 1].level != PLAIN_LEVEL:
            return True
        if not (noise.is_sign(above.text) or self.foreign):
            return True
        after = next((line for line in self.lines[at + 1 :] if not line.blank), None)
        mark = self.marks.get(after.number) if after else None
        return mark is not None and mark.kind == "post" and not self.anothers(at)

    def begin(self, mark: Mark, line: Line) -> None:
        before = self.entry
        if before and same_day(before, mark):
            before.lines.append(line)
            return
        self.peel()
        self.leave()
        self.entry = Entry(mark, [line], mark.written)
        self.entry.take(mark.claimed)

    def post(self, at: int, mark: Mark, line: Line) -> None:
        entry = self.entry
        if mark.level == PLAIN_LEVEL and self.anothers(at):
            self.around(line, "a post of somebody else")
            return
        if entry and entry.mark.kind == "date" and self.joins(entry, mark):
            entry.lines.append(line)
            entry.posted = True
            entry.take(mark.claimed)
            return
        self.peel()
        self.leave()
        self.entry = Entry(mark, [line], mark.written or self.date_above(at), posted=True)
        self.entry.take(mark.claimed)

    def joins(self, entry: Entry, mark: Mark) -> bool:
        """Whether a post's count is that of the dated entry it stands in."""
        if entry.day is None:
            return True
        bare = not any(not line.blank for line in entry.lines[1:])
        same = mark.claimed is not None and mark.claimed.day == entry.day.day
        return same and bare

    def leads_away(self, line: Line) -> bool:
        """Whether a heading without a date ends the entry it stands in."""
        entry = self.entry
        if entry is None:
            return True
        if line.level == BOLD_LEVEL:
            return False
        day_level = entry.mark.level if entry.mark.level < BOLD_LEVEL else 0
        if line.level < day_level:
            return True
        if line.level > day_level > 0 or ids.plain(line.inner) in self.repeated:
            return False
        return line.number in self.linked

    def head(self, line: Line) -> None:
        self.leave()
        above = tuple(title for title in self.section.titles if title[0] < line.level)
        self.section = Section(line, (*above, (line.level, line.inner)))

    def ends_a_post(self, at: int, line: Line) -> bool:
        if line.fenced or line.blank:
            return False
        if noise.is_sign(line.text):
            return True
        if not noise.is_weak(line.text):
            return False
        after = next((one for one in self.lines[at + 1 :] if not one.blank), None)
        return (
            after is None
            or after.number in self.marks
            or after.headed
            or noise.is_sign(after.text)
            or noise.is_weak(after.text)
        )

    def around(self, line: Line, why: str = AROUND) -> None:
        entry = self.entry
        dated = noise.date_of_above(line.text)
        if entry and dated and entry.written is None:
            entry.written = dated
        trailing = self.trailing(line)
        self.leave()
        self.foreign = why
        for one in (*trailing, line):
            self.log.around.append((one, why))

    def trailing(self, line: Line) -> list[Line]:
        """The name in the line above a handle, and counts above that, taken out of the post that
        they would end."""
        lines = self.entry.lines if self.entry else []
        found: list[Line] = []
        if len(lines) > 2 and noise.handle(line.text) and line.text.strip().startswith("@"):
            last, before = lines[-1], lines[-2]
            ends = before.blank or noise.is_weak(before.text) or noise.is_sign(before.text)
            if not last.blank and ends and noise.is_name(last.text):
                found.insert(0, lines.pop())
        while len(lines) > 1 and (lines[-1].blank or noise.is_weak(lines[-1].text)):
            last = lines.pop()
            if not last.blank:
                found.insert(0, last)
        return found

    def peel(self) -> None:
        """The header of a post that begins now is no part of the entry above it."""
        lines = self.entry.lines if self.entry else []
        tail: list[Line] = []
        while len(tail) < len(lines) - 1 and not lines[-1 - len(tail)].blank:
            tail.insert(0, lines[-1 - len(tail)])
        signed = any(noise.handle(line.text) for line in tail)
        if signed and all(noise.is_sign(one.text) or noise.is_name(one.text) for one in tail):
            del lines[len(lines) - len(tail) :]
            self.log.around += [(line, AROUND) for line in tail]

    def anothers(self, at: int) -> bool:
        handle = handle_above(self.lines, at)
        return bool(self.own and handle and handle != self.own)

    def date_above(self, at: int) -> Written | None:
        for line in header(self.lines, at):
            if found := noise.date_in(line.text):
                return found
        return None

    def leave(self) -> None:
        """Whatever is open ends here."""
        self.close()
        self.entry, self.foreign = None, ""
        self.section = Section(None, self.section.titles)

    def close(self) -> None:
        entry = self.entry
        if entry:
            kept = trimmed(entry.lines)
            self.log.rules += [line for line in entry.lines[len(kept) :] if not line.blank]
            entry.lines = kept
            self.log.entries.append(entry)
        section = self.section
        self.log.rules += [line for line in section.lines if separates(line)]
        section.lines = [line for line in section.lines if not separates(line)]
        if section.heading or any(not line.blank for line in section.lines):
            self.log.sections.append(section)


def heads(line: Line, found: dict[int, Mark]) -> bool:
    return line.level <= BOLD_LEVEL and bool(line.inner) and line.number not in found


def same_day(entry: Entry, mark: Mark) -> bool:
    """A smaller heading that says the date of its day again."""
    old, new = entry.written, mark.written
    if old is None or new is None or mark.level <= entry.mark.level or mark.claimed:
        return False
    return (old.month, old.day, old.year) == (new.month, new.day, new.year) and bool(new.month)


def header(lines: Sequence[Line], at: int) -> list[Line]:
    """The lines right above a post that say whose it is and when, the nearest first."""
    made: list[Line] = []
    for line in reversed(lines[max(0, at - HEADER) : at]):
        if line.blank:
            if made or not noise.is_sign(lines[max(0, line.number - 2)].text):
                break
            continue
        if line.fenced or is_rule(line.text) or len(line.text) > 100:
            break
        made.append(line)
    return made


def handle_above(lines: Sequence[Line], at: int) -> str:
    for line in header(lines, at):
        if found := noise.handle(line.text):
            return found
    return ""


def own_handle(lines: Sequence[Line], found: dict[int, Mark]) -> str:
    """Whose posts these are: the handle above more than half of those that have one."""
    posts = [mark for mark in found.values() if mark.kind == "post" and mark.level == PLAIN_LEVEL]
    handles = Counter(handle for mark in posts if (handle := handle_above(lines, mark.number - 1)))
    if not handles:
        return ""
    [(best, count)] = handles.most_common(1)
    return best if 2 * count > handles.total() else ""
