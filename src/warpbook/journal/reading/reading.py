"""A topic's reading list: a Markdown file in which `## ` begins an item.

Texts to items and entries; `reading_text` goes the other way. Knows nothing of the index.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import PurePath
from typing import Any

from warpbook.journal.entry import Entry, Parsed, Problem
from warpbook.journal.ids import id_of
from warpbook.journal.reading.addresses import canonical, kind_of
from warpbook.journal.reading.reading_lines import (
    COMMENT,
    FIELD,
    HEADING,
    Section,
    after_front_matter,
    closed,
    hidden_lines,
    sections,
    without_blank_ends,
)

INBOX = "inbox"
KINDS = ("blog", "paper", "lecture", "code", "chapter", "video", "thread", "issue", "pr")
STATES = ("inbox", "queued", "reading", "done", "revisit", "dropped")
TRACKED = ("issue", "pr")
TRACKED_STATES = ("asked", "assigned", "open", "merged", "closed")
LEAST_TIER, MOST_TIER = 1, 5

CLOSING = re.compile(r"(?:^|[ \t]+)#+$")
ESCAPED_CLOSING = re.compile(r"(^|[ \t])\\(\\*#+)$")
ID = re.compile(r"[a-z0-9]{4,16}")
INDENTED = re.compile(r" ##(?:[ \t].*)?")  # a heading to Markdown, and no item
WORDS = {"book chapter": "chapter", "pull request": "pr", "post": "blog", "talk": "video"}
YES, NO = ("yes", "true"), ("", "no", "false")


@dataclass(frozen=True)
class Item:
    """Dates are written 2026-01-04, empty where there is none. `line` and `last` are its first and
    its last line in the file; `written` says whether its id stands there."""

    id: str
    title: str
    topic: str = ""
    address: str = ""
    kind: str = "blog"
    tier: int | None = None
    state: str = "queued"
    added: str = ""
    started: str = ""
    done: str = ""
    revisit: str = ""
    up_to: str = ""
    cut: bool = False
    feed: str = ""
    published: str = ""
    notes: str = ""
    path: str = ""
    line: int = 0
    last: int = 0
    written: bool = True

    @property
    def canonical(self) -> str:
        return canonical(self.address)


DATES = ("added", "started", "done", "revisit", "published")


def derived_id(address: str, title: str, topic: str) -> str:
    """That of an item whose file does not say it. Case matters in an address, not in `id_of`."""
    form = canonical(address)
    if form:
        return id_of("address", hashlib.sha256(form.encode("utf-8", "replace")).hexdigest())
    return id_of("title", title, topic)


def states_of(kind: str) -> tuple[str, ...]:
    return STATES + TRACKED_STATES if kind in TRACKED else STATES


def default_state(kind: str, topic: str) -> str:
    if topic == INBOX:
        return INBOX
    return "open" if kind in TRACKED else "queued"


def parse(path: str, text: str) -> tuple[list[Item], list[Problem]]:
    lines = text.split("\n")
    items: list[Item] = []
    problems: list[Problem] = []
    found = sections(lines)
    for one in found:
        item = item_of(path, lines, one, problems)
        if not item.title:
            problems.append(Problem(path, item.line, "a heading without a title is no item"))
            continue
        items.append(item)
    begin = found[-1].start if found else after_front_matter(lines)
    if not closed(lines[begin:]):
        problems.append(
            Problem(path, begin + 1, "below this a code fence or HTML is never closed: close it")
        )
    return items, problems


@dataclass(frozen=True)
class Said:
    """What the fields of one item say; what cannot be used becomes a problem."""

    path: str
    lines: list[str]
    section: Section
    problems: list[Problem]

    def text(self, name: str) -> str:
        at = self.section.fields.get(name)
        found = FIELD.fullmatch(self.lines[at]) if at is not None else None
        return (found[2] or "").strip() if found else ""

    def date(self, name: str) -> str:
        value = self.text(name)
        if not value or is_date(value):
            return value
        self.tell(name, f"{name}: {value!r} is no date; write it as 2026-01-04")
        return ""

    def one_of(self, name: str, known: tuple[str, ...], default: str) -> str:
        value = self.text(name)
        word = WORDS.get(value.lower(), value.lower())
        if not value or word in known:
            return word or default
        self.tell(name, f"{name}: {value!r} is none of {', '.join(known)}")
        return default

    def tier(self) -> int | None:
        value = self.text("tier")
        if not value or is_tier(value):
            return int(value) if value else None
        self.tell("tier", f"tier: {value!r} is no whole number from {LEAST_TIER} to {MOST_TIER}")
        return None

    def yes(self, name: str) -> bool:
        value = self.text(name).lower()
        if value not in YES + NO:
            self.tell(name, f"{name}: {value!r} is neither yes nor no")
        return value in YES

    def id(self) -> str:
        """Empty where the file does not say it."""
        at = self.section.comment
        found = COMMENT.fullmatch(self.lines[at]) if at is not None else None
        if at is None or found is None:
            return ""
        if ID.fullmatch(found[1]):
            return found[1]
        words = f"{found[1]!r} is no id of an item: 4 to 16 of a-z and 0-9"
        self.problems.append(Problem(self.path, at + 1, words))
        return ""

    def tell(self, name: str, words: str) -> None:
        self.problems.append(Problem(self.path, self.section.fields[name] + 1, words))


def item_of(path: str, lines: list[str], one: Section, problems: list[Problem]) -> Item:
    problems.extend(
        Problem(path, at + 1, "said twice for one item; the first counts") for at in one.repeated
    )
    said = Said(path, lines, one, problems)
    title, topic, address = title_of(lines[one.start]), PurePath(path).stem, said.text("address")
    kind = said.one_of("kind", KINDS, kind_of(address))
    written = said.id()
    return Item(
        id=written or derived_id(address, title, topic),
        title=title,
        topic=topic,
        address=address,
        kind=kind,
        tier=said.tier(),
        state=said.one_of("state", states_of(kind), default_state(kind, topic)),
        **{name: said.date(name) for name in DATES},
        up_to=said.text("up to"),
        cut=said.yes("cut"),
        feed=said.text("feed"),
        notes=notes_of(lines, one),
        path=path,
        line=one.start + 1,
        last=one.start + len(without_blank_ends(lines[one.start : one.end])),
        written=bool(written),
    )


def is_tier(text: str) -> bool:
    return text.isdecimal() and len(text) < 4 and LEAST_TIER <= int(text) <= MOST_TIER


def is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def title_of(heading: str) -> str:
    found = HEADING.fullmatch(heading)
    title = ((found and found[1]) or "").strip()
    if CLOSING.search(title):
        return CLOSING.sub("", title).strip()
    return ESCAPED_CLOSING.sub(r"\1\2", title)


def notes_of(lines: list[str], one: Section) -> str:
    body = without_blank_ends(lines[one.notes : one.end])
    hidden = hidden_lines(body)
    shown = [
        line[1:] if INDENTED.fullmatch(line) and number not in hidden else line
        for number, line in enumerate(body)
    ]
    return "\n".join([*(lines[number] for number in one.others), *shown])


def entries(path: str, text: str) -> Parsed:
    items, problems = parse(path, text)
    return Parsed([entry(item) for item in items], problems)


def entry(item: Item) -> Entry:
    """Its date is that of the last thing that happened to it."""
    latest = max(item.added, item.started, item.done)
    body = "\n".join(filter(None, [item.notes, item.up_to, item.address, item.feed]))
    return Entry(
        "reading",
        item.id,
        item.line,
        item.title,
        body,
        latest,
        item.topic,
        item.state,
        document(item),
        item.path,
    )


def document(item: Item, questions: Sequence[str] | None = None) -> dict[str, Any]:
    """As programs read it."""
    made = asdict(item) | {"canonical": item.canonical}
    return made if questions is None else made | {"questions": list(questions)}


def item_from(entry: Entry) -> Item:
    """The item that `entry` was made of."""
    return Item(**{name: value for name, value in entry.document.items() if name != "canonical"})
