"""Rows of the journal's index: which of them a list asks for, and entries as they are kept."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warpbook.book.match import match
from warpbook.journal.entry import Entry, Problem

COLUMNS = "e.kind, e.key, e.line, e.title, e.date, e.topic, e.state, e.document, e.path"
ORDERS = ("date", "key", "title", "topic", "state", "path")


def behind(path: Path) -> sqlite3.Connection:
    """Memory, with the book's file behind it as it may be read."""
    for mode in ("mode=ro", "immutable=1"):
        made = sqlite3.connect("file::memory:", uri=True, isolation_level=None)
        try:
            made.execute("ATTACH ? AS book", (f"{path.absolute().as_uri()}?{mode}",))
            made.execute("SELECT 1 FROM book.sqlite_master").fetchone()
        except sqlite3.OperationalError:
            made.close()
            continue
        return made
    raise sqlite3.OperationalError("unable to open database file")


def selection(
    kind: str,
    topic: str | None,
    state: str | Sequence[str] | None,
    since: str,
    until: str,
    search: str,
) -> tuple[str, list[Any]]:
    parts, values = ["e.kind = ?"], [kind]
    if topic is not None:
        parts.append("e.topic = ?")
        values.append(topic)
    if state is not None:
        states = [state] if isinstance(state, str) else [*state]
        parts.append(f"e.state IN ({', '.join('?' * len(states))})")
        values += states
    for bound, sign in ((since, ">="), (until, "<=")):
        if bound:
            parts.append(f"e.date {sign} ?")
            values.append(bound)
    if search.strip():
        words = match(search)
        among = "e.id IN (SELECT rowid FROM journal_text WHERE journal_text MATCH ?)"
        parts.append(among if words else "0")
        values += [words] if words else []
    return " AND ".join(parts), values


def entry(row: tuple[Any, ...]) -> Entry:
    kind, key, line, title, date, topic, state, document, path, body = row
    return Entry(kind, key, line, title, body, date, topic, state, json.loads(document), path)


def text_of(found: Entry) -> str:
    return json.dumps(found.document, ensure_ascii=False, default=str)


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.path, problem.line))


def told(problems: Sequence[Problem]) -> str:
    return json.dumps([[problem.line, problem.text] for problem in problems])
