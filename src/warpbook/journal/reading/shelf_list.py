"""What is on the shelf: lists, what to read next and why, and what is there twice."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warpbook.book.match import match
from warpbook.journal.ids import plain
from warpbook.journal.journal import Journal
from warpbook.journal.reading.reading import INBOX, KINDS, STATES, TRACKED_STATES, Item
from warpbook.journal.reading.shelf import require, require_tier, topic_name

ORDER = (
    *("reading", "revisit", "queued", "assigned", "asked", "open", "inbox"),
    *("done", "merged", "closed", "dropped"),
)
ASKED = (
    "EXISTS (SELECT 1 FROM journal_entries q WHERE q.kind = 'question' AND q.path = e.path "
    "AND q.line BETWEEN e.line AND json_extract(e.document, '$.last'))"
)


@dataclass(frozen=True)
class Filter:
    """Without states: all but what was dropped, and the inbox only where it is the topic."""

    topic: str = ""
    states: Sequence[str] = ()
    kind: str = ""
    tier: int | None = None
    search: str = ""
    questions: bool = False

    def where(self) -> tuple[str, list[Any]]:
        topic = topic_name(self.topic) if self.topic else ""
        hidden = ("dropped",) if topic == INBOX else ("dropped", INBOX)
        for state in self.states:
            require(state, STATES + TRACKED_STATES, "state")
        states = tuple(self.states) or tuple(state for state in ORDER if state not in hidden)
        parts = ["e.kind = 'reading'", f"e.state IN ({', '.join('?' * len(states))})"]
        values: list[Any] = [*states]
        for column, value in (
            ("e.topic", topic),
            ("json_extract(e.document, '$.kind')", require(self.kind, KINDS, "kind")),
            ("json_extract(e.document, '$.tier')", require_tier(self.tier)),
        ):
            if value:
                parts.append(f"{column} = ?")
                values.append(value)
        if self.search.strip():
            words = match(self.search)
            among = "e.id IN (SELECT rowid FROM journal_text WHERE journal_text MATCH ?)"
            parts.append(among if words else "0")
            values += [words] if words else []
        if self.questions:
            parts.append(ASKED)
        return " AND ".join(parts), values


@dataclass(frozen=True)
class Next:
    """`why` it comes now."""

    item: Item
    why: str


def listed(
    journal: Journal, asked: Filter | None = None, limit: int | None = None, offset: int = 0
) -> list[Item]:
    """What is being read first, then what is to be read again, then by tier and age; what is over
    comes last, the newest first."""
    where, values = (asked or Filter()).where()
    rank = " ".join(f"WHEN '{state}' THEN {at}" for at, state in enumerate(ORDER))
    over = "e.state IN ('done', 'merged', 'closed', 'dropped')"
    rows = journal.index.connection.execute(
        f"SELECT e.document FROM journal_entries e WHERE {where} ORDER BY CASE e.state {rank} END, "
        f"CASE WHEN {over} THEN e.date END DESC, "
        "json_extract(e.document, '$.tier') IS NULL, json_extract(e.document, '$.tier'), "
        "json_extract(e.document, '$.added'), e.path, e.line LIMIT ? OFFSET ?",
        (*values, -1 if limit is None else limit, offset),
    )
    return [item(document) for (document,) in rows]


def count(journal: Journal, asked: Filter | None = None) -> int:
    where, values = (asked or Filter()).where()
    found: int = journal.index.connection.execute(
        f"SELECT count(*) FROM journal_entries e WHERE {where}", values
    ).fetchone()[0]
    return found


def item(document: str) -> Item:
    said = json.loads(document)
    said.pop("canonical", None)
    return Item(**said)


def states(journal: Journal, topic: str = "") -> dict[str, int]:
    """How many there are in each state."""
    rows = journal.index.connection.execute(
        "SELECT state, count(*) FROM journal_entries WHERE kind = 'reading' "
        "AND (topic = ? OR ? = '') GROUP BY state",
        (topic, topic),
    )
    found = dict(rows.fetchall())
    return {state: found[state] for state in ORDER if state in found}


def topics(journal: Journal) -> dict[str, int]:
    """How many each topic has that were not dropped; the inbox is none."""
    rows = journal.index.connection.execute(
        "SELECT topic, count(*) FROM journal_entries WHERE kind = 'reading' "
        "AND state != 'dropped' AND topic != ? GROUP BY topic ORDER BY topic",
        (INBOX,),
    )
    return dict(rows.fetchall())


def questions(journal: Journal, item: Item) -> list[str]:
    """The open ones in its notes."""
    rows = journal.index.connection.execute(
        "SELECT title FROM journal_entries WHERE kind = 'question' AND path = ? "
        "AND line BETWEEN ? AND ? ORDER BY line",
        (item.path, item.line, item.last),
    )
    return [title for (title,) in rows]


def next_items(journal: Journal, topic: str = "", limit: int = 1) -> list[Next]:
    """What to read now: what was begun, then what is due again, then by tier and age."""
    today = journal.today().isoformat()
    name = topic_name(topic) if topic else ""
    rows = journal.index.connection.execute(
        "SELECT document FROM journal_entries WHERE kind = 'reading' AND (topic = ? OR ? = '') "
        "AND (state IN ('reading', 'queued') OR "
        "(state = 'revisit' AND json_extract(document, '$.revisit') <= ?)) "
        "ORDER BY CASE state WHEN 'reading' THEN 0 WHEN 'revisit' THEN 1 ELSE 2 END, "
        "CASE state WHEN 'reading' THEN json_extract(document, '$.started') "
        "WHEN 'revisit' THEN json_extract(document, '$.revisit') END, "
        "json_extract(document, '$.tier') IS NULL, json_extract(document, '$.tier'), "
        "json_extract(document, '$.added'), path, line LIMIT ?",
        (name, name, today, limit),
    )
    return [Next(one, why(one)) for one in (item(document) for (document,) in rows)]


def why(item: Item) -> str:
    if item.state == "reading":
        since = f" on {item.started}" if item.started else ""
        far = f", and read up to {item.up_to}" if item.up_to else ""
        return f"begun{since}{far}"
    if item.state == "revisit":
        return f"to be read again since {item.revisit}" if item.revisit else "to be read again"
    tier = f"tier {item.tier}" if item.tier else "no tier"
    return f"{tier}, queued since {item.added}" if item.added else f"{tier}, queued"


@dataclass(frozen=True)
class Double:
    """Items that are one thing; `same` says by what."""

    same: str
    items: tuple[Item, ...]


def doubled(journal: Journal) -> list[Double]:
    """Items with one id, one address, or, where one of them has no address, one title and topic."""
    rows = journal.index.connection.execute(
        "SELECT key, title, topic, json_extract(document, '$.canonical'), id FROM journal_entries "
        "WHERE kind = 'reading' ORDER BY path, line"
    ).fetchall()
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    bare = {(plain(title), topic) for _, title, topic, address, _ in rows if not address}
    for key, title, topic, address, number in rows:
        groups["id", key].append(number)
        if address:
            groups["address", address].append(number)
        if (plain(title), topic) in bare:
            groups["title", plain(title), topic].append(number)
    found: dict[tuple[int, ...], str] = {}
    for (same, *_), numbers in groups.items():
        if len(numbers) > 1:
            found.setdefault(tuple(numbers), same)
    return [
        Double(same, tuple(numbered(journal, number) for number in numbers))
        for numbers, same in found.items()
    ]


def numbered(journal: Journal, number: int) -> Item:
    (document,) = journal.index.connection.execute(
        "SELECT document FROM journal_entries WHERE id = ?", (number,)
    ).fetchone()
    return item(document)
