"""Cards in Markdown: `Q:` and `A:`, or a paragraph with clozes, each with its id in a comment.

A question without an answer is an open question. Inside a code fence nothing is a card. Works on
texts alone: knows nothing of files, nor of when a card is asked.
"""

import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from warpbook.journal.cards import cloze
from warpbook.journal.entry import Entry, Parsed, Problem
from warpbook.journal.ids import id_of
from warpbook.journal.texts import blocks, front

PROPOSED = "cards/proposed.md"  # those in it wait for approval, and are no cards yet
CARD_ID = r"[a-z0-9_]+(?:\.[a-z]?\d+)?"
COMMENT = re.compile(rf"<!--\s*(card|proposed|rejected):({CARD_ID})\s*(\{{.*\}})?\s*-->")
MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
QUESTION = re.compile(r"\s*(?:\*\*)?Q:(?:\*\*)?\s*(.*)")
ANSWER = re.compile(r"\s*(?:\*\*)?A:(?:\*\*)?\s*(.*)")


@dataclass(frozen=True)
class Card:
    """`text` is the paragraph of a cloze, with its braces. `written`: its id stands in its file."""

    id: str
    question: str
    answer: str
    topic: str = ""
    path: str = ""
    line: int = 0
    text: str = ""
    written: bool = True

    @property
    def base(self) -> str:
        """The id in the file; the cards of one cloze paragraph share it."""
        return self.id.rpartition(".")[0] if self.text else self.id


@dataclass
class Found:
    """A card, an open question or a cloze paragraph in a text. `first` and `last` are its lines,
    its comment apart; `mark` is the comment's word, if it has one."""

    first: int
    last: int
    id: str
    question: str = ""
    answer: str = ""
    text: str = ""
    mark: str = ""
    extra: str = ""
    comment_line: int = 0

    @property
    def key(self) -> str:
        return self.question or self.text


@dataclass
class Draft:
    """What is being read. A paragraph that turns out to have no cloze is dropped."""

    first: int
    indent: int = 0
    asks: bool = False
    answers: bool = False
    paused: bool = False  # a blank line came
    last: int = 0
    question: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)

    def add(self, number: int, text: str) -> None:
        if number != self.first:
            text = text[min(self.indent, len(text) - len(text.lstrip())) :]
        (self.answer if self.answers else self.question).append(text.rstrip())
        self.last, self.paused = number, False

    @property
    def waits(self) -> bool:
        """A blank line does not end it: its answer has yet to begin."""
        return self.answers and not any(self.answer)

    def found(self) -> Found | None:
        question = "\n".join(self.question).strip()
        if self.asks:
            if not question:
                return None
            answer = "\n".join(self.answer).strip()
            return Found(self.first, self.last, id_of(question), question, answer)
        if "{{c" not in question or not cloze.numbers(question):
            return None
        return Found(self.first, self.last, id_of(cloze.shown(question)), text=question)


class Reader:
    """Goes through the lines of a text, and collects what it finds."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.strays: list[int] = []  # comments that belong to nothing
        self.draft: Draft | None = None
        self.latest: Found | None = None  # that a comment coming now belongs to

    def read(self, line: blocks.Line) -> None:
        """Lines that only a rule below them makes a heading are read as text."""
        text = line.text
        if line.kind == "blank":
            if self.draft:
                self.draft.paused = True
        elif line.kind == "comment":
            self.comment(line)
        elif line.kind == "fence":
            self.fence(line)
        elif line.kind == "heading" and text.lstrip()[:1] == "#":
            self.close()
            self.latest = None
        else:
            self.prose(line.number, text)

    def fence(self, line: blocks.Line) -> None:
        draft = self.draft
        if draft and draft.asks and (not draft.paused or draft.waits):
            draft.add(line.number, line.text)
            return
        self.close()
        self.latest = None

    def prose(self, number: int, text: str) -> None:
        said = COMMENT.search(text)
        if said and text[said.end() :].strip():
            said = None
        body = text[: said.start()].rstrip() if said else text
        if body.strip() or not said:
            self.words(number, body)
        if said:
            self.named(number, said)

    def words(self, number: int, text: str) -> None:
        marker = MARKER.match(text)
        inner = text[marker.end() :] if marker else text
        draft = self.draft
        if asked := QUESTION.fullmatch(inner):
            self.begin(number, marker, asks=True).add(number, asked[1])
            return
        if draft and draft.asks and not draft.answers and (given := ANSWER.fullmatch(inner)):
            draft.answers = True
            draft.add(number, given[1])
            return
        goes_on = draft and (not draft.paused or draft.waits) and (draft.asks or not marker)
        if draft and goes_on:
            draft.add(number, text)
            return
        self.begin(number, marker).add(number, inner)

    def begin(self, number: int, marker: re.Match[str] | None, asks: bool = False) -> Draft:
        self.close()
        self.latest = None
        self.draft = Draft(number, marker.end() if marker else 0, asks)
        return self.draft

    def comment(self, line: blocks.Line) -> None:
        said = COMMENT.search(line.text)
        if said:
            self.named(line.number, said)
            return
        self.close()

    def named(self, number: int, said: re.Match[str]) -> None:
        self.close()
        if self.latest is None:
            self.strays.append(number)
            return
        self.latest.mark, self.latest.id, self.latest.extra = said[1], said[2], said[3] or ""
        self.latest.comment_line = number
        self.latest = None

    def close(self) -> None:
        found = self.draft.found() if self.draft else None
        if self.draft:
            self.latest = found
        if found:
            self.found.append(found)
        self.draft = None


def find(text: str) -> Reader:
    """All cards, open questions and cloze paragraphs of a text, front matter left out."""
    reader = Reader()
    if "Q:" not in text and "{{c" not in text:
        return reader
    split = front.split(text)
    for line in blocks.lines(split.body, split.body_line):
        reader.read(line)
    reader.close()
    return reader


def cards_of(found: Found, topic: str = "", path: str = "") -> list[Card]:
    """None for an open question, one for an answer, one a number for clozes."""
    place: dict[str, Any] = {
        "topic": topic,
        "path": path,
        "line": found.first,
        "written": bool(found.mark),
    }
    if found.text:
        return [
            Card(
                f"{found.id}.{number}",
                cloze.hidden(found.text, number),
                cloze.answer(found.text, number),
                text=found.text,
                **place,
            )
            for number in cloze.numbers(found.text)
        ]
    return [Card(found.id, found.question, found.answer, **place)] if found.answer else []


def entries(path: str, text: str, topic: str) -> Parsed:
    """`topic` is for a text whose front matter names none. Of two with one id only the first is
    taken."""
    parsed = Parsed()
    if path == PROPOSED:
        return parsed
    reader = find(text)
    if not reader.found and not reader.strays:
        return parsed
    named = front.split(text).values.get("topic")
    topic = named.strip() if isinstance(named, str) and named.strip() else topic
    topic = topic or PurePath(path).stem
    parsed.problems.extend(
        Problem(path, line, "this comment names a card, but there is none above it")
        for line in reader.strays
    )
    lines: dict[str, int] = {}
    for found in reader.found:
        if found.id in lines:
            parsed.problems.append(Problem(path, found.first, doubled(found, lines[found.id])))
            continue
        lines[found.id] = found.first
        parsed.entries.extend(entries_of(found, path, topic))
    return parsed


def doubled(found: Found, line: int) -> str:
    if found.mark:
        how = "take its comment away, and it is one of its own"
    else:
        how = "ask it in other words, or take one away"
    return f"card {found.id} is also on line {line}; this one is not asked: {how}"


def entries_of(found: Found, path: str, topic: str) -> list[Entry]:
    day = PurePath(path).stem if path.startswith("journal/") else ""
    cards = cards_of(found, topic, path)
    if not cards:
        said = " ".join(found.question.split())
        document: dict[str, Any] = {"question": found.question, "written": bool(found.mark)}
        return [
            Entry("question", found.id, found.first, said, "", day, topic, "open", document, path)
        ]
    return [
        Entry(
            "card",
            card.id,
            card.line,
            " ".join(card.question.split()),
            card.answer,
            day,
            topic,
            "cloze" if card.text else "answer",
            {
                "question": card.question,
                "answer": card.answer,
                "text": card.text,
                "written": card.written,
            },
            path,
        )
        for card in cards
    ]


def card_of(entry: Entry) -> Card:
    """The card that `entries` made an entry of."""
    said = entry.document
    return Card(
        entry.key,
        str(said["question"]),
        str(said["answer"]),
        entry.topic,
        entry.path,
        entry.line,
        str(said["text"]),
        bool(said["written"]),
    )
