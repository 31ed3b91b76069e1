"""Search over the journal and the book: days, reading, cards, claims, findings, experiments.

Each part has its own full-text index (FTS5); what matches best comes first, wherever it is from.
Knows nothing of how a hit is shown.
"""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from warpbook.book.match import match
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

OF_JOURNAL = ("day", "reading", "card", "question", "claim", "plan")
OF_BOOK = ("hypothesis", "finding", "note")
KINDS = (*OF_JOURNAL, *OF_BOOK, "experiment")
WORDS = 16  # of a snippet
LONG, ROOM = 50_000, 60  # of a longer text SQLite's snippet takes seconds, where a word comes often
CREATED = {"hypothesis": "hypotheses", "finding": "findings", "experiment": "experiments"}


@dataclass(frozen=True)
class Hit:
    """`path` and `line` say where a text file has it; the book's own have a `key` alone, such as
    H-3. `rank` is less for what matches better."""

    kind: str
    key: str
    title: str
    snippet: str = ""
    path: str = ""
    line: int = 0
    date: str = ""
    rank: float = 0.0


def find(
    journal: "Journal",
    text: str,
    kinds: Sequence[str] | None = None,
    limit: int = 20,
    around: tuple[str, str] = ("", ""),
) -> list[Hit]:
    """What has every word of `text`, each as the beginning of one. In snippets `around` is put
    before and after each of them."""
    wanted = tuple(kinds) if kinds else KINDS
    if unknown := [kind for kind in wanted if kind not in KINDS]:
        raise BadInput(f"there is no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    words = match(text)
    if not words:
        raise BadInput("there is no word to look for")
    connection = journal.index.connection
    found = in_journal(connection, words, [k for k in OF_JOURNAL if k in wanted], limit)
    found += in_book(connection, words, [k for k in OF_BOOK if k in wanted], limit)
    if "experiment" in wanted:
        found += in_experiments(connection, words, limit)
    found.sort(key=lambda one: one[0].rank)
    return [shown(connection, words, around, *one) for one in found[:limit]]


Ranked = tuple[Hit, str, int]  # a hit, and where its text is: table and row


def in_journal(
    connection: sqlite3.Connection, words: str, kinds: Sequence[str], limit: int
) -> list[Ranked]:
    if not kinds:
        return []
    rows = connection.execute(
        "SELECT t.rowid, bm25(journal_text, 4.0, 1.0) AS score FROM journal_text t "
        "CROSS JOIN journal_entries e ON e.id = t.rowid "
        f"WHERE journal_text MATCH ? AND e.kind IN ({marks(kinds)}) ORDER BY score LIMIT ?",
        (words, *kinds, limit),
    ).fetchall()
    return [(journal_hit(connection, row, score), "journal_text", row) for row, score in rows]


def journal_hit(connection: sqlite3.Connection, row: int, score: float) -> Hit:
    kind, key, title, path, line, date = connection.execute(
        "SELECT kind, key, title, path, line, date FROM journal_entries WHERE id = ?", (row,)
    ).fetchone()
    return Hit(kind, key, title, "", path, line, date, score)


def in_book(
    connection: sqlite3.Connection, words: str, kinds: Sequence[str], limit: int
) -> list[Ranked]:
    if not kinds:
        return []
    rows = connection.execute(
        "SELECT rowid, kind, key, title, bm25(book_text, 4.0, 1.0) AS score FROM book_text "
        f"WHERE book_text MATCH ? AND kind IN ({marks(kinds)}) ORDER BY score LIMIT ?",
        (words, *kinds, limit),
    )
    return [
        (Hit(kind, str(key), title, rank=score), "book_text", row)
        for row, kind, key, title, score in rows
    ]


def in_experiments(connection: sqlite3.Connection, words: str, limit: int) -> list[Ranked]:
    rows = connection.execute(
        "SELECT rowid, title, bm25(experiment_text, 4.0, 1.0, 2.0) AS score FROM experiment_text "
        "WHERE experiment_text MATCH ? ORDER BY score LIMIT ?",
        (words, limit),
    )
    return [
        (Hit("experiment", f"E-{row}", title, rank=score), "experiment_text", row)
        for row, title, score in rows
    ]


def shown(
    connection: sqlite3.Connection,
    words: str,
    around: tuple[str, str],
    hit: Hit,
    table: str,
    row: int,
) -> Hit:
    """With the words around what was found, and the date of what the book has."""
    long = None
    if table != "experiment_text":
        query = f"SELECT body FROM {table} WHERE rowid = ? AND length(body) > ?"
        long = connection.execute(query, (row, LONG)).fetchone()
    if long:
        snippet = of_long(long[0], words, around)
    else:
        (snippet,) = connection.execute(
            f"SELECT snippet({table}, -1, ?, ?, '…', {WORDS}) FROM {table} "
            f"WHERE {table} MATCH ? AND rowid = ?",
            (*around, words, row),
        ).fetchone()
    return replace(hit, snippet=" ".join(snippet.split()), date=hit.date or dated(connection, hit))


def of_long(text: str, words: str, around: tuple[str, str]) -> str:
    """The words around the first place that has one of them, or the beginning."""
    wanted = "|".join(re.escape(word.strip('"*')) for word in words.split())
    found = re.search(rf"\b(?:{wanted})", text, re.IGNORECASE)
    start, end = found.span() if found else (0, 0)
    before, after = text[max(start - ROOM, 0) : start], text[end : end + ROOM]
    marked = f"{around[0]}{text[start:end]}{around[1]}" if found else ""
    return f"{'…' * (start > ROOM)}{before}{marked}{after}…"


def dated(connection: sqlite3.Connection, hit: Hit) -> str:
    query: tuple[Any, ...] | None = None
    if hit.kind in CREATED:
        query = connection.execute(
            f"SELECT created_at FROM {CREATED[hit.kind]} WHERE id = ?", (hit.key.split("-")[1],)
        ).fetchone()
    elif hit.kind == "note":
        query = connection.execute("SELECT at FROM events WHERE id = ?", (hit.key,)).fetchone()
    return str(query[0])[:10] if query else ""


def marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
