"""What Anki exports as text (Notes in Plain Text), as cards: read first, written when asked to.

Lines at the top such as `#separator:tab` say how the rest is set. What cannot be used is told with
its line; a card that is here already is left alone, so that importing twice changes nothing.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput
from warpbook.journal.cards import card_files, cloze, html_text
from warpbook.journal.cards.cards import Card
from warpbook.journal.cards.proposals import Known, NewCard
from warpbook.journal.texts import textfile

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

TOPIC = "anki"
SEPARATORS = {
    "tab": "\t",
    "comma": ",",
    "semicolon": ";",
    "space": " ",
    "pipe": "|",
    "colon": ":",
    "\\t": "\t",
}
HEADER = re.compile(r"#([a-z ]+):(.*)", re.IGNORECASE)
COLUMNS = {"tags column": "tags", "deck column": "deck", "notetype column": "type"}
OTHERS = ("guid column", "columns", "if matches")  # known, and nothing to do about
ANKI_HINT = re.compile(r"::(?=[^:{}]*$)")
SOUND = re.compile(r"\[sound:[^\]]*\]|!\[[^\]]*\]\([^)]*\)")


@dataclass
class Layout:
    """How the file is set; columns are counted from 1."""

    separator: str = ""
    html: bool = True
    deck: str = ""
    type: str = ""
    columns: dict[str, int] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Row:
    """A card as it was understood. `known`: it is here already."""

    line: int
    card: NewCard
    known: bool


@dataclass(frozen=True)
class Told:
    line: int
    text: str


@dataclass
class Read:
    """`left_out` are lines that make no card; `notes` say what of a card is not kept."""

    rows: list[Row] = field(default_factory=list)
    left_out: list[Told] = field(default_factory=list)
    notes: list[Told] = field(default_factory=list)

    @property
    def new(self) -> list[Row]:
        return [row for row in self.rows if not row.known]


def read(journal: "Journal", path: Path, topic: str = "") -> Read:
    """`topic` is for all cards; by default each has that of its Anki deck."""
    if topic:
        topic = card_files.topic_of(topic)
    lines = textfile.read(path).content.split("\n")
    result = Read()
    layout, first = header(path, lines, result)
    known = Known(journal)
    for line, fields in records(lines, first, layout, result):
        for card in cards_of(line, fields, layout, topic, result):
            result.rows.append(Row(line, card, card in known))
            known.ids.setdefault(card.id, card.id)
    return result


def write(journal: "Journal", found: Read) -> int:
    """Puts the new ones into the files of their topics; how many."""
    topics: dict[str, list[Card]] = {}
    for row in found.new:
        topics.setdefault(row.card.topic, []).append(row.card.card())
    for topic, cards in topics.items():
        card_files.add(journal, topic, cards)
    return len(found.new)


def header(path: Path, lines: list[str], result: Read) -> tuple[Layout, int]:
    """The layout, and the line that the cards begin on."""
    layout = Layout()
    number = 1
    for number, line in enumerate(lines, 1):
        said = HEADER.fullmatch(line.rstrip())
        if said is None:
            break
        wrong = take_header(layout, number, said[1].lower().strip(), said[2].strip(), result)
        if wrong:
            raise BadInput(f"{path}:{number}: {wrong}")
    if not layout.separator:
        begin = next((line for line in lines[number - 1 :] if line.strip()), "")
        layout.separator = next((mark for mark in "\t;,|" if mark in begin), "\t")
    return layout, number


def take_header(layout: Layout, number: int, name: str, value: str, result: Read) -> str:
    """What is wrong with it, if anything is."""
    if name == "separator":
        mark = SEPARATORS.get(value.lower(), value)
        if len(mark) != 1:
            return f"{value!r} is no separator; Anki writes tab or comma"
        layout.separator = mark
    elif name == "html":
        layout.html = value.lower() == "true"
    elif name in ("deck", "notetype"):
        setattr(layout, "type" if name == "notetype" else name, value)
    elif name in COLUMNS or name == "guid column":
        if not value.isdecimal() or not 1 <= int(value) <= 1000:
            return f"#{name}: {value!r} is no column; they count from 1"
        if name in COLUMNS:
            layout.columns[COLUMNS[name]] = int(value)
        layout.unread.add(int(value))
    elif name == "tags":
        result.notes.append(Told(number, f"tags are not kept: {value}"))
    elif name not in OTHERS:
        result.notes.append(Told(number, f"#{name} is not known here, and was not used"))
    return ""


def records(
    lines: list[str], first: int, layout: Layout, result: Read
) -> Iterator[tuple[int, list[str]]]:
    """The fields of each note with the line it begins on. One that cannot be read, such as a quote
    that never closes, costs its line alone."""
    while first <= len(lines):
        reader = csv.reader(
            (f"{lines[at]}\n" for at in range(first - 1, len(lines))),
            delimiter=layout.separator,
            strict=True,
        )
        start = first
        try:
            for fields in reader:
                at, start = start, first + reader.line_num
                if lines[at - 1].startswith("#"):
                    result.left_out.append(Told(at, "a comment"))
                elif any(one.strip() for one in fields):
                    yield at, [one.removesuffix("\n") for one in fields]
            return
        except csv.Error as error:
            result.left_out.append(Told(start, f"cannot be read: {error}"))
            first = start + 1


def cards_of(
    line: int, fields: list[str], layout: Layout, topic: str, result: Read
) -> list[NewCard]:
    named = {
        name: fields[column - 1].strip() if column <= len(fields) else ""
        for name, column in layout.columns.items()
    }
    if named.get("tags"):
        result.notes.append(Told(line, f"tags are not kept: {named['tags']}"))
    texts = [
        text_of(value, layout, line, result)
        for column, value in enumerate(fields, 1)
        if column not in layout.unread
    ]
    front, *backs = texts or [""]
    back = "\n".join(filter(None, backs))
    topic = topic or topic_of(named.get("deck") or layout.deck)
    if cloze.numbers(front):
        return clozes(line, front, back, topic, result)
    if not front or not back:
        missing = "answer" if front else "question"
        result.left_out.append(Told(line, f"no {missing}: {(front or back)[:60]!r}"))
        return []
    made = [NewCard(front, back, topic)]
    if "reversed" in (named.get("type") or layout.type).lower():
        made.append(NewCard(back, front, topic))
    return made


def clozes(line: int, front: str, back: str, topic: str, result: Read) -> list[NewCard]:
    if back:
        result.notes.append(Told(line, f"what a cloze has beside its text is not kept: {back!r}"))
    return [NewCard(front, "", topic)]


def hinted(text: str) -> str:
    """Anki's `::hint` with the spaces that set a hint apart here."""

    def show(one: cloze.Cloze) -> str:
        parts = [part if isinstance(part, str) else show(part) for part in one.parts]
        if isinstance(one.parts[-1], str):
            parts[-1] = ANKI_HINT.sub(cloze.HINT, parts[-1], count=1)
        return f"{one.opening}{''.join(parts)}}}}}"

    return cloze.rendered(cloze.parse(text), show)


def text_of(value: str, layout: Layout, line: int, result: Read) -> str:
    """Hints come first: a `::` that HTML spells out is none."""
    value = hinted(value)
    text = html_text.to_text(value) if layout.html else value.strip()
    for media in SOUND.findall(text):
        result.notes.append(Told(line, f"pictures and sounds are not in the file: {media}"))
    return text


def topic_of(deck: str) -> str:
    """`GPU::Memory` is `gpu-memory`; what Warpbook itself exported finds its topic again."""
    deck = deck.removeprefix("Warpbook::")
    try:
        return card_files.topic_of(deck) if deck else TOPIC
    except BadInput:
        return TOPIC
