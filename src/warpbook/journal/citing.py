"""What speaks of something to read: the days that cite it, the cards and questions in its notes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warpbook.journal.cards import deck
from warpbook.journal.cards.deck import Held
from warpbook.journal.reading.reading import Item

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal


@dataclass(frozen=True)
class Citing:
    date: str
    title: str


def days(journal: "Journal", item: Item) -> list[Citing]:
    """By their front matter, or in their text; the newest first."""
    rows = journal.index.connection.execute(
        "SELECT e.key, e.title FROM journal_entries e JOIN journal_text t ON t.rowid = e.id "
        "WHERE e.kind = 'day' AND (instr(t.body, 'reading:' || :id) > 0 OR EXISTS "
        "(SELECT 1 FROM json_each(e.document, '$.reading') WHERE value = :id)) "
        "ORDER BY e.key DESC",
        {"id": item.id},
    )
    return [Citing(date, title) for date, title in rows]


def cards(journal: "Journal", item: Item) -> list[Held]:
    rows = journal.index.connection.execute(
        "SELECT key FROM journal_entries WHERE kind = 'card' AND path = ? "
        "AND line BETWEEN ? AND ? ORDER BY line, key",
        (item.path, item.line, item.last),
    )
    keys = [key for (key,) in rows]
    found = {held.card.id: held for held in deck.by_keys(journal, keys)}
    return [found[key] for key in keys if key in found]


@dataclass(frozen=True)
class Open:
    """A question without an answer, in the notes of an item."""

    question: str
    item: str
    title: str


def questions(journal: "Journal", limit: int) -> list[Open]:
    """Of all items that were not dropped."""
    rows = journal.index.connection.execute(
        "SELECT q.title, e.key, e.title FROM journal_entries q JOIN journal_entries e "
        "ON e.path = q.path AND e.kind = 'reading' AND q.line BETWEEN e.line AND "
        "json_extract(e.document, '$.last') WHERE q.kind = 'question' AND e.state != 'dropped' "
        "ORDER BY q.path, q.line LIMIT ?",
        (limit,),
    )
    return [Open(*row) for row in rows]
