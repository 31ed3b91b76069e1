"""The running log: every change as one line, each carrying the hash of the one before.

An event is written in the transaction of the change it tells of. Triggers in the file refuse to
edit or delete one; the chain shows it if someone went around them.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from warpbook.book.tables import Event

FIRST = "0" * 64
BATCH = 1000
# What a hash is over.
PARTS = ("id", "at", "author", "kind", "subject", "text", "data", "previous")
Line = tuple[str, str, str, dict[str, Any]]  # kind, subject, text, data


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def append(
    session: Session, author: str, kind: str, subject: str, text: str, data: dict[str, Any]
) -> int:
    """Add one line; its number."""
    return append_all(session, author, [(kind, subject, text, data)])


def append_all(session: Session, author: str, lines: Iterable[Line]) -> int:
    """Add lines; the number of the last. The caller holds the write lock, so nothing comes
    between."""
    last = session.execute(
        select(Event.id, Event.hash).order_by(Event.id.desc()).limit(1)
    ).one_or_none()
    number, previous = (last.id, last.hash) if last else (0, FIRST)
    batch: list[dict[str, Any]] = []
    for kind, subject, text, data in lines:
        number += 1
        parts = (number, now(), author, kind, subject, text, data, previous)
        record: dict[str, Any] = dict(zip(PARTS, parts, strict=True))
        previous = digest(record)
        batch.append({**record, "hash": previous})
        if len(batch) == BATCH:
            session.execute(insert(Event), batch)
            batch = []
    if batch:
        session.execute(insert(Event), batch)
    return number


def digest(record: dict[str, Any]) -> str:
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class Chain:
    """Follows the log from its first event on, and says of each what is wrong with it."""

    def __init__(self) -> None:
        self.count = 0
        self.last = 0
        self.head = FIRST

    def follow(self, record: dict[str, Any], recorded: str) -> Iterator[str]:
        if record["id"] != self.last + 1:
            yield f"follows event {self.last}: what was between is gone"
        elif record["previous"] != self.head:
            yield "does not carry the hash of the event before it"
        if digest(record) != recorded:
            yield "was edited: its hash does not fit its contents"
        self.count, self.last, self.head = self.count + 1, record["id"], recorded
