"""What speaks of something to read: the days that cite it, and the cards in its notes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warpbook.journal import deck
from warpbook.journal.deck import Held
from warpbook.journal.reading import Item

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
