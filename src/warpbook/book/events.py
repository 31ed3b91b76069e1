"""The running log: every change as one line, each carrying the hash of the one before.

An event is written in the transaction of the change it tells of. Triggers in the file refuse to
edit or delete one; the chain shows it if someone went around them.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from warpbook.book.tables import Event

FIRST = "0" * 64


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def append(
    session: Session, author: str, kind: str, subject: str, text: str, data: dict[str, Any]
) -> int:
    """Add one line; the caller holds the write lock, so nothing comes between."""
    last = session.execute(
        select(Event.id, Event.hash).order_by(Event.id.desc()).limit(1)
    ).one_or_none()
    number, previous = (last.id + 1, last.hash) if last else (1, FIRST)
    record = {
        "id": number,
        "at": now(),
        "author": author,
        "kind": kind,
        "subject": subject,
        "text": text,
        "data": data,
        "previous": previous,
    }
    session.execute(insert(Event).values(**record, hash=digest(record)))
    return number


def digest(record: dict[str, Any]) -> str:
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def as_record(event: Event) -> dict[str, Any]:
    """What its hash is over."""
    names = ("id", "at", "author", "kind", "subject", "text", "data", "previous")
    return {name: getattr(event, name) for name in names}


def broken_links(session: Session) -> Iterator[tuple[int, str]]:
    """The events at which the chain does not hold, each with what is wrong there."""
    expected, previous = 1, FIRST
    for event in session.scalars(
        select(Event).order_by(Event.id).execution_options(yield_per=1000)
    ):
        if event.id != expected:
            yield event.id, f"follows event {expected - 1}: what was between is gone"
        elif event.previous != previous:
            yield event.id, "does not carry the hash of the event before it"
        if digest(as_record(event)) != event.hash:
            yield event.id, "was edited: its hash does not fit its contents"
        expected, previous = event.id + 1, event.hash
