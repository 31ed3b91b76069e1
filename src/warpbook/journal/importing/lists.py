"""Sections of links and titles, read as things to read with the notes beneath them.

Pure: takes the lines of a section and gives items, and the lines that are none of theirs. Knows
nothing of the reading list that the book has.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from warpbook.journal.importing import links
from warpbook.journal.importing.entries import Section
from warpbook.journal.importing.lines import BOLD_LEVEL, Line, item
from warpbook.journal.reading import addresses

KINDS = {
    "paper": r"papers?",
    "blog": r"blogs?|blog posts?|articles?",
    "video": r"videos?|talks?|watch(?:list)?",
    "lecture": r"lectures?|courses?",
    "code": r"code|repos?|repositories",
    "chapter": r"books?|chapters?",
    "thread": r"threads?|tweets?",
}
GENERIC = re.compile(
    r"(?:more |other |my |useful |good )*(?:links?|resources?|reading(?: list)?|to read|references?"
    rf"|misc|{'|'.join(KINDS.values())})",
    re.IGNORECASE,
)
STATES = {"x": "done", "-": "dropped", "~": "reading"}
CHAPTER = re.compile(r"\bch(?:apter|\.)\s*\d", re.IGNORECASE)
MOST_TITLE = 200


@dataclass
class Found:
    """Something to read. `kind` is empty where the address tells it best; `again` are other lines
    that name the same."""

    line: int
    title: str
    address: str
    topic: str
    kind: str = ""
    state: str = ""
    added: str = ""
    cut: bool = False
    notes: str = ""
    lines: list[int] = field(default_factory=list)
    again: list[int] = field(default_factory=list)


class Reader:
    """Goes through one section. `titled`: items without an address count, too."""

    def __init__(self, section: Section, titled: bool) -> None:
        self.topic, self.kind = topic_and_kind(section)
        self.titled = titled
        self.title = ""  # of the one link below it
        self.found: list[Found] = []
        self.left: list[Line] = []
        self.current: list[Found] = []
        self.notes: list[Line] = []
        self.first_note = ""
        bullets = [
            bullet.indent
            for line in section.lines
            if not line.fenced and (bullet := item(line.text)) and links.in_text(line.text)
        ]
        linked = any(not one.fenced and links.in_text(one.text) for one in section.lines)
        # Items stand where links do; below plain lines with links they are notes.
        self.indent = min(bullets) if bullets else (-1 if linked else 0)

    def read(self, line: Line) -> None:
        found = [] if line.fenced else links.in_text(line.text)
        if found:
            self.linked(line, found)
        elif not line.fenced and self.is_title(line):
            bullet = item(line.text)
            assert bullet is not None
            self.begin([self.made(line, bullet.text.strip("*_ "), "", bullet.box)])
        elif self.current:
            self.notes.append(line)
        elif not line.blank:
            self.left.append(line)

    def is_title(self, line: Line) -> bool:
        bullet = item(line.text)
        return (
            self.titled
            and bullet is not None
            and bullet.indent <= self.indent
            and 0 < len(bullet.text) <= MOST_TITLE
            and any(c.isalpha() for c in bullet.text)
        )

    def linked(self, line: Line, found: Sequence[links.Link]) -> None:
        bullet = item(line.text)
        text, box = (bullet.text, bullet.box) if bullet else (line.inner, "")
        found = links.in_text(text) or found
        before, after = links.words_around(text, found)
        if len(found) > 1:
            spare = between(text, found)
            made = [self.made(line, links.title(one, ""), one.address, box) for one in found]
            self.begin(made, text.strip() if spare else "")
            return
        title, note = links.title(found[0], before) or self.title, after
        if not title and not before and links.is_name(after):
            title, note = after.strip(links.QUOTES), ""
        if before and before.strip("*_ ") != title:
            note = text.strip() if after or not found[0].words else before
        self.begin([self.made(line, title, found[0].address, box)], note)

    def made(self, line: Line, title: str, address: str, box: str) -> Found:
        told = addresses.kind_of(address) if address else ""
        kind = told if told != "blog" else ""
        if not address and CHAPTER.search(title):
            kind = "chapter"
        return Found(
            line.number,
            title or links.plain_title(address),
            address,
            self.topic,
            kind or self.kind,
            STATES.get(box, ""),
            cut=bool(address) and addresses.cut(address),
            lines=[line.number],
        )

    def begin(self, made: list[Found], note: str = "") -> None:
        self.end()
        self.current, self.notes = made, []
        self.first_note = note
        self.found += made

    def end(self) -> None:
        while self.notes and self.notes[-1].blank:
            self.notes.pop()
        beneath = dedented(self.notes)
        for one in self.current:
            one.notes = "\n\n".join(part for part in (self.first_note, beneath) if part)
            one.lines += [line.number for line in self.notes if not line.blank]
        self.current, self.notes = [], []


def read(section: Section, titled: bool, without: set[int]) -> tuple[list[Found], list[Line]]:
    """Items, and lines that belong to none. `without` are lines that are something else."""
    reader = Reader(section, titled)
    heading = section.heading
    if heading and (found := links.in_text(heading.inner)):
        reader.topic, reader.kind = topic_and_kind(Section(None, section.titles[:-1]))
        reader.linked(heading, found)
    elif heading and names_one_link(section):
        reader.topic, reader.kind = topic_and_kind(Section(None, section.titles[:-1]))
        reader.title = cleaned(heading.inner)
    for line in section.lines:
        if line.number not in without:
            reader.read(line)
    reader.end()
    if reader.title and reader.found and heading:
        reader.found[0].lines.insert(0, heading.number)
        reader.found[0].line = heading.number
    return reader.found, reader.left


def names_one_link(section: Section) -> bool:
    """Whether a bold line is the title of the link below it, and not a topic."""
    if section.heading is None or section.heading.level != BOLD_LEVEL or len(section.titles) < 2:
        return False
    linked = [one for one in section.lines if not one.fenced and links.in_text(one.text)]
    return len(linked) == 1 and item(linked[0].text) is None


def topic_and_kind(section: Section) -> tuple[str, str]:
    """The heading's; one that says only what sort of things follow is not a topic if there is
    another above it."""
    titles = [cleaned(title) for _, title in section.titles if cleaned(title)]
    if not titles:
        return "", ""
    kind = next(
        (kind for kind, form in KINDS.items() if re.fullmatch(form, titles[-1], re.IGNORECASE)), ""
    )
    if len(titles) > 1 and GENERIC.fullmatch(titles[-1]):
        return titles[-2], kind
    return titles[-1], kind


def cleaned(title: str) -> str:
    """Without addresses and the marks around a heading."""
    for link in reversed(links.in_text(title)):
        title = f"{title[: link.start]}{link.words}{title[link.end :]}"
    return title.strip(" *_:#").strip()


def between(text: str, found: Sequence[links.Link]) -> bool:
    """Whether there are words beside several links."""
    rest, at = "", 0
    for link in found:
        rest += text[at : link.start]
        at = link.end
    return any(c.isalnum() for c in rest + text[at:])


def dedented(notes: Sequence[Line]) -> str:
    made = dedent("\n".join(line.text for line in notes)).strip("\n")
    return re.sub(r"\n{3,}", "\n\n", made)
