"""What a log says, as far as it was understood, and what was not, line by line.

`understand` is a pure function of the text: nothing is written, and nothing of the book is read.
Every line that is not blank is in exactly one place: an entry, an item of reading, a card, a copy,
a sign that settled something, or what is left.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePath

from warpbook.journal.days import claims
from warpbook.journal.entry import Problem
from warpbook.journal.importing import (
    dates,
    doubles,
    entries,
    links,
    lists,
    marks,
    mentions,
    pairs,
)
from warpbook.journal.importing import lines as rows
from warpbook.journal.importing.clues import Asked, Clue, YearLine, with_roles
from warpbook.journal.importing.counting import Post, count
from warpbook.journal.importing.entries import Entry, Log, Section
from warpbook.journal.importing.lines import Line
from warpbook.journal.importing.lists import Found
from warpbook.journal.importing.marks import Mark
from warpbook.journal.importing.pairs import Pair
from warpbook.journal.importing.settling import Settled, Settlement, settle
from warpbook.journal.importing.tracks import Counted, assign
from warpbook.journal.texts import front
from warpbook.journal.texts.blocks import Line as BlockLine


@dataclass(frozen=True)
class Wanted:
    """What the person asks for, and what the settings say of tracks."""

    asked: Asked
    track: str | None = None
    known: tuple[str, ...] = ()
    default: str = "journal"


@dataclass(frozen=True)
class Dated:
    """An entry that becomes a day, or a part of one. `lines` are those of its text."""

    line: int
    last: int
    date: date
    how: str
    track: str
    called: str
    text: str
    day: int | None = None
    of: int | None = None
    left: int | None = None
    claims: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Doubled:
    """`kept` is the line where the copy that counts begins."""

    line: int
    last: int
    kept: int
    text: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sign:
    """A line that settled something and has no place of its own."""

    line: int
    text: str
    what: str


@dataclass(frozen=True)
class Left:
    """Lines that were not understood, and why."""

    line: int
    last: int
    why: str
    texts: tuple[str, ...]


@dataclass
class Understood:
    name: str
    days: list[Dated] = field(default_factory=list)
    reading: list[Found] = field(default_factory=list)
    cards: list[Pair] = field(default_factory=list)
    doubled: list[Doubled] = field(default_factory=list)
    alike: list[tuple[int, int]] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    order: str = ""
    newest: bool = False  # first, as far as that can be told
    tracks: dict[str, list[str]] = field(default_factory=dict)


def understand(name: str, text: str, wanted: Wanted) -> Understood:
    lines = rows.split(text)
    found = marks.find(lines)
    log = entries.cut(lines, found)
    if not log.entries and (whole := one_day(name, lines)):
        log = Log(entries=[whole])
    return Understanding(name, log, wanted).made()


def one_day(name: str, lines: Sequence[Line]) -> Entry | None:
    """A file that is called by a date, or has one in its front matter, and no other is that day."""
    said = front.split(rows.joined(lines)).values.get("date")
    written = dates.found(str(said)) if said else dates.found(PurePath(name).stem)
    inside = rows.trimmed(lines)
    if written is None or written.year is None or not inside:
        return None
    return Entry(Mark("date", inside[0].number, 1, name, written), inside, written)


class Understanding:
    def __init__(self, name: str, log: Log, wanted: Wanted) -> None:
        self.name, self.log, self.wanted = name, log, wanted
        self.out = Understood(name)

    def made(self) -> Understood:
        self.copies()
        settled, order = self.dates()
        self.out.order = order
        self.days(settled)
        self.sections()
        self.rest()
        self.out.reading = merged(self.out.reading)
        for part in (self.out.left, self.out.signs, self.out.cards):
            part.sort(key=lambda one: one.line)
        return self.out

    def copies(self) -> None:
        """Doubled entries leave the log before anything is counted by them."""
        entries_ = self.log.entries
        found = doubles.find(entries_)
        for one in found.doubled:
            copy, kept = entries_[one.copy], entries_[one.kept]
            lines = tuple(line.number for line in copy.lines if not line.blank)
            self.out.doubled.append(
                Doubled(lines[0], lines[-1], kept.number, copy.mark.text, lines)
            )
        self.out.alike = [(entries_[a].number, entries_[b].number) for a, b in found.alike]
        gone = {one.copy for one in found.doubled}
        for year in self.log.years:
            year.position -= sum(1 for at in gone if at < year.position)
        self.log.entries = [one for at, one in enumerate(entries_) if at not in gone]

    def dates(self) -> tuple[list[tuple[Settled, str, str]], str]:
        """For each entry: its date, its track and what that was called."""
        log, asked = self.log, self.wanted.asked
        if not log.entries:
            return [], ""
        clues = [
            Clue(one.number, one.written, one.left, one.day.day if one.day else None, one.name)
            for one in log.entries
        ]
        years = [
            YearLine(one.mark.number, one.mark.year, one.position, True if one.mark.month else None)
            for one in log.years
        ]
        settlement = settle(clues, with_roles(years, len(clues)), self.titles(), asked)
        named = self.tracks(settlement)
        posts = [
            Post(track, clue.day, settled, clue.written is None and settled.date is None)
            for clue, settled, (track, _) in zip(clues, settlement.entries, named, strict=True)
        ]
        dated = count(posts, asked.start, asked.today)
        self.out.newest = settlement.newest
        made = [(one, *names) for one, names in zip(dated, named, strict=True)]
        return made, settlement.order

    def tracks(self, settlement: Settlement) -> list[tuple[str, str]]:
        counted = [
            Counted(one.name, one.day.day if one.day else None, one.day.of if one.day else None)
            for one in self.log.entries
        ]
        step = -1 if settlement.newest else 1
        wanted = self.wanted
        known = (wanted.default, *wanted.known)
        return assign(counted[::step], wanted.track, known, wanted.default)[::step]

    def titles(self) -> list[tuple[str, int]]:
        """Years that the log's own headings name, and its file's name."""
        found = [
            (f"line {section.heading.number}", year)
            for section in self.log.sections
            if section.heading
            for year in marks.years_in(section.heading.inner)
        ]
        stem = PurePath(self.name).stem.replace("-", " ").replace("_", " ").replace(".", " ")
        return found + [("the file's name", year) for year in marks.years_in(stem)]

    def days(self, settled: Sequence[tuple[Settled, str, str]]) -> None:
        for entry, (one, track, called) in zip(self.log.entries, settled, strict=True):
            if one.date is None:
                self.undated(entry, one)
                continue
            how = f"{one.how}; {entry.mark.note}" if entry.mark.note else one.how
            asked = pairs.find(entry.lines)
            for pair in asked:
                pair.topic = track
            self.out.cards += asked
            taken = {number for pair in asked for number in pair.lines}
            kept = pairs.without(entry.lines, taken)
            self.out.days.append(day_of(entry, kept, one.date, how, track, called))
            self.out.reading += mentions.find(kept, track, one.date.isoformat())
            names = self.out.tracks.setdefault(track, [])
            if called and called not in names:
                names.append(called)

    def undated(self, entry: Entry, settled: Settled) -> None:
        self.leave(entry.lines, settled.problem)
        if entry.written and (entry.written.problem or "future" in settled.problem):
            self.out.problems.append(Problem(self.name, entry.number, settled.problem))

    def sections(self) -> None:
        every = self.log.sections
        listed = links.sections([*self.lines_of(every)], {})
        levels = {
            section.heading.level
            for section in every
            if section.heading and section.heading.number in listed
        }
        for section in every:
            heading = section.heading
            titled = heading is not None and (heading.number in listed or heading.level in levels)
            self.section(section, titled)

    def lines_of(self, sections: Iterable[Section]) -> Iterable[Line]:
        for section in sections:
            if section.heading:
                yield section.heading
            yield from section.lines

    def section(self, section: Section, titled: bool) -> None:
        asked = pairs.find(section.lines)
        taken = {number for pair in asked for number in pair.lines}
        found, left = lists.read(section, titled, taken)
        for pair in asked:
            pair.topic = found[0].topic if found else lists.topic_and_kind(section)[0]
        self.out.cards += asked
        self.out.reading += found
        heading = section.heading
        if heading and not (found and found[0].line == heading.number):
            what = "a heading above nothing that was understood"
            if found or asked:
                what = "the topic of what follows"
            elif not section.lines or all(line.blank for line in section.lines):
                what = "a heading"
            if what.startswith("a heading above"):
                left.insert(0, heading)
            else:
                self.out.signs.append(Sign(heading.number, heading.text.strip(), what))
        self.leave(left, "text outside of any day, and no list of links")

    def rest(self) -> None:
        for why in dict.fromkeys(why for _, why in self.log.around):
            self.leave([line for line, one in self.log.around if one == why], why)
        for year in self.log.years:
            what = "a year" if not year.mark.month else "a month"
            self.out.signs.append(Sign(year.mark.number, year.mark.text, what))
        for line in self.log.rules:
            self.out.signs.append(Sign(line.number, line.text.strip(), "a rule between entries"))

    def leave(self, lines: Sequence[Line], why: str) -> None:
        """Blank lines between those of an entry stay where they are."""
        texts = {line.number: line.text for line in lines}
        for first, last in rows.spans(texts):
            said = [n for n in range(first, last + 1) if texts[n].strip()]
            if said:
                inside = tuple(texts[n] for n in range(said[0], said[-1] + 1))
                self.out.left.append(Left(said[0], said[-1], why, inside))


def day_of(
    entry: Entry, kept: Sequence[Line], on: date, how: str, track: str, called: str
) -> Dated:
    text = rows.joined(kept).rstrip()
    numbers = tuple(line.number for line in kept if not line.blank)
    said = claims.found([*map(as_block, kept)])
    return Dated(
        line=entry.number,
        last=max(line.number for line in entry.lines),
        date=on,
        how=how,
        track=track,
        called=called,
        text=text,
        day=entry.day.day if entry.day else None,
        of=entry.day.of if entry.day else None,
        left=entry.left,
        claims=tuple(one.text for one in said),
        lines=numbers,
    )


def as_block(line: Line) -> BlockLine:
    """Without a Markdown parser, which takes long to load."""
    kinds = {"fence": line.fenced, "blank": line.blank, "heading": line.headed}
    kind = next((name for name, is_one in kinds.items() if is_one), "")
    return BlockLine(line.number, line.text, kind or ("item" if rows.item(line.text) else "text"))


def merged(found: Sequence[Found]) -> list[Found]:
    """Each once: those of lists, which have a topic and notes, before those of days."""
    from warpbook.journal.reading.reading import derived_id

    made: dict[str, Found] = {}
    for one in sorted(found, key=lambda one: (not one.lines, one.line)):
        key = derived_id(one.address, one.title, one.topic)
        first = made.setdefault(key, one)
        if first is not one:
            join(first, one)
    return sorted(made.values(), key=lambda one: one.line)


def join(first: Found, other: Found) -> None:
    """What `other` calls it, where that is in no day's text, is kept as a note."""
    first.lines += other.lines
    first.added = first.added or other.added
    if other.line != first.line:
        first.again.append(other.line)
    named = other.title != links.plain_title(other.address)
    if named and first.title == links.plain_title(first.address):
        first.title, named = other.title, False
    called = other.title if named and other.lines and other.title != first.title else ""
    for note in (called, other.notes):
        if note and note not in first.notes:
            first.notes = "\n\n".join(part for part in (first.notes, note) if part)


def covered(understood: Understood) -> dict[int, str]:
    """Where each line went."""
    found: dict[int, str] = {}
    for day in understood.days:
        found |= dict.fromkeys(day.lines, "day")
    for item in understood.reading:
        found |= dict.fromkeys(item.lines, "reading")
    for card in understood.cards:
        found |= dict.fromkeys(card.lines, "card")
    for copy in understood.doubled:
        found |= dict.fromkeys(copy.lines, "doubled")
    for sign in understood.signs:
        found[sign.line] = "sign"
    for left in understood.left:
        said = [n for n, text in enumerate(left.texts, left.line) if text.strip()]
        found |= dict.fromkeys(said, "left")
    return found
