"""Cards that wait for approval: `cards/proposed.md`, where each can also be edited by hand.

One that is approved moves to the file of its topic; one that is rejected stays, marked so, and is
not proposed again. Knows nothing of who proposes.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.cards import card_files, cloze
from warpbook.journal.cards.cards import PROPOSED, Card, Found, find
from warpbook.journal.ids import id_of, plain
from warpbook.journal.texts import textfile

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

HEAD = "# Proposed cards\n\nApprove them with `warpbook card approve ID`; edit them here before.\n"
WAITING, REJECTED = "proposed", "rejected"


@dataclass(frozen=True)
class NewCard:
    """`source` says where it comes from, such as `journal/2026-01-04.md:12`. Without an answer the
    question is a text with clozes."""

    question: str
    answer: str
    topic: str
    source: str = ""

    @property
    def id(self) -> str:
        return id_of(self.words)

    @property
    def words(self) -> str:
        """What it asks, nothing hidden."""
        return cloze.shown(self.question) if self.text else self.question

    @property
    def text(self) -> str:
        has = not self.answer.strip() and cloze.numbers(self.question)
        return self.question if has else ""

    def card(self) -> Card:
        """Of a cloze the first of its cards."""
        number = f".{cloze.numbers(self.text)[0]}" if self.text else ""
        path = f"cards/{self.topic}.md"
        return Card(self.id + number, self.question, self.answer, self.topic, path, text=self.text)


@dataclass(frozen=True)
class Proposal:
    id: str
    question: str  # or the text of a cloze, without an answer
    answer: str
    topic: str
    source: str
    state: str  # proposed or rejected
    line: int


def usable(card: NewCard) -> bool:
    return bool(card.question.strip() and (card.answer.strip() or card.text))


def add_all(journal: "Journal", cards: Sequence[NewCard]) -> int:
    """How many were added. One that is proposed, rejected or a card already is left, and so is one
    without an answer."""
    fresh: dict[str, NewCard] = {}
    known = Known(journal)
    for card in cards:
        if usable(card) and card not in known and not is_taught(card):
            fresh.setdefault(card.id, card)
    added: list[str] = []

    def change(content: str) -> str:
        here = {found.id for found in find(content).found}
        here |= {id_of(found.question or cloze.shown(found.text)) for found in find(content).found}
        added[:] = [one for one in fresh if one not in here]
        if not added:
            return content
        blocks = [block(fresh[one]) for one in added]
        return (content or HEAD).rstrip("\n") + "\n\n" + "\n".join(blocks)

    if fresh:
        journal.edit(PROPOSED, change)
    return len(added)


class Known:
    """The questions that are cards already, by their ids and by their words: the key of each. An id
    follows from the words, but to make ten thousand of them takes long."""

    def __init__(self, journal: "Journal") -> None:
        rows = journal.index.connection.execute(
            "SELECT key, title, json_extract(document, '$.text') FROM journal_entries "
            "WHERE kind = 'card'"
        )
        self.ids: dict[str, str] = {}
        self.words: dict[str, str] = {}
        for key, title, text in rows:
            self.ids[key.rpartition(".")[0] if text else key] = key
            self.words.setdefault(plain(cloze.shown(text) if text else title), key)

    def key(self, card: NewCard) -> str | None:
        return self.ids.get(card.id) or self.words.get(plain(card.words))

    def __contains__(self, card: NewCard) -> bool:
        return self.key(card) is not None


def is_taught(card: NewCard) -> bool:
    """Whether the course on its topic asks it."""
    from warpbook.journal.teaching import course

    if card.topic not in course.names():
        return False
    steps = course.load(card.topic).steps
    return any(id_of(one.question) == card.id for step in steps for one in step.cards)


def block(card: NewCard) -> str:
    comment = comment_of(WAITING, card.id, card.topic, card.source)
    return card_files.block(card.question, card.answer, comment, card.text)


def comment_of(state: str, card: str, topic: str, source: str) -> str:
    more = json.dumps({"topic": topic, "source": source}, ensure_ascii=False)
    more = more.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"{state}:{card} {more}"


def list_all(journal: "Journal", state: str | None = WAITING) -> list[Proposal]:
    """In the order they were proposed; `None` for the rejected ones too."""
    path = journal.path(PROPOSED)
    if not path.exists():
        return []
    found = [proposal(one) for one in find(textfile.read(path).content).found if usable_found(one)]
    return [one for one in found if state in (None, one.state)]


def usable_found(found: Found) -> bool:
    return found.mark != "card" and bool(found.answer or found.text)


def proposal(found: Found) -> Proposal:
    """Somebody may have written one by hand, without a comment, or with one that cannot be read."""
    try:
        more = json.loads(found.extra or "{}")
    except ValueError:
        more = {}
    return Proposal(
        found.id,
        found.question or found.text,
        found.answer,
        str(more.get("topic") or "journal"),
        str(more.get("source") or ""),
        found.mark or WAITING,
        found.first,
    )


def named(journal: "Journal", names: Iterable[str], states: Sequence[str]) -> list[Proposal]:
    """By their ids, or the beginnings of those."""
    there = [one for one in list_all(journal, None) if one.state in states]
    found = []
    for name in names:
        alike = [one for one in there if one.id == name] or [
            one for one in there if name and one.id.startswith(name)
        ]
        if not alike:
            raise NotFound(
                f"no card {name!r} waits for approval; `warpbook card proposals` shows which do"
            )
        if len(alike) > 1:
            ids = ", ".join(one.id for one in alike)
            raise BadInput(f"{name!r} is the beginning of several: {ids}")
        found += alike
    return list({one.id: one for one in found}.values())


def approve(journal: "Journal", names: Sequence[str], topic: str = "") -> list[Card]:
    """They are written into the files of their topics before they go from here, so that none is
    ever in neither."""
    picked = named(journal, names, (WAITING, REJECTED))
    topics: dict[str, list[Card]] = {}
    for one in picked:
        into = card_files.topic_of(topic or one.topic)
        card = NewCard(one.question, one.answer, into).card()
        number = card.id.rpartition(".")[2]
        card = replace(card, id=f"{one.id}.{number}" if card.text else one.id)
        topics.setdefault(into, []).append(card)
    for into, cards in topics.items():
        card_files.add(journal, into, cards)
    journal.edit(PROPOSED, partial(without, gone={one.id for one in picked}))
    return [card for cards in topics.values() for card in cards]


def reject(journal: "Journal", names: Sequence[str]) -> list[Proposal]:
    picked = named(journal, names, (WAITING, REJECTED))
    journal.edit(PROPOSED, partial(marked, rejected={one.id: one for one in picked}))
    return picked


def without(content: str, gone: set[str]) -> str:
    """The text without these proposals, their comments and the blank lines below."""
    lines = content.split("\n")
    for found in reversed(find(content).found):
        if found.id in gone:
            end = max(found.last, found.comment_line)
            while end < len(lines) and not lines[end].strip():
                end += 1
            del lines[found.first - 1 : end]
    return "\n".join(lines).rstrip("\n") + "\n"


def marked(content: str, rejected: dict[str, Proposal]) -> str:
    """With their comments saying that they are rejected."""
    lines = content.split("\n")
    for found in reversed(find(content).found):
        one = rejected.get(found.id)
        if one:
            comment = f"<!-- {comment_of(REJECTED, one.id, one.topic, one.source)} -->"
            said = lines[found.comment_line - 1] if found.comment_line else ""
            before = said.partition("<!--")[0].rstrip()
            if found.comment_line:
                del lines[found.comment_line - 1]
            at = found.comment_line - 1 if found.comment_line else found.last
            lines[at:at] = [before, comment] if before else [comment]
    return "\n".join(lines)
