"""What the book's log has of a span of days, local midnight to midnight, and which cards were
reviewed in it. Plain SQL and bytes: the log may have a million lines, so it is entered by halving.
"""

import json
import sqlite3
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

BLOCK = 64 * 1024  # of the file of reviews: what is read anyway


@dataclass(frozen=True)
class Event:
    id: int
    at: str
    kind: str
    subject: str
    text: str
    data: dict[str, Any]

    @property
    def number(self) -> int:
        """Of `R-57`."""
        return int(self.subject.rpartition("-")[2])


def midnight(on: date, zone: tzinfo | None = None) -> datetime:
    """Where that date begins, in UTC. A fixed offset is only what some other moment had: then the
    machine's own zone says what that date has."""
    own = None if zone is None or isinstance(zone, timezone) else zone
    start = datetime.combine(on, time.min, own)
    either = [start.replace(fold=fold).astimezone(UTC) for fold in (0, 1)]
    # Where clocks go forward at midnight there is none, and one of the two is of the day before.
    return min(at for at in either if at.astimezone(own).date() >= on)


def span(first: date, last: date, zone: tzinfo | None = None) -> tuple[datetime, datetime]:
    """From the beginning of the first date to the end of the last."""
    return midnight(first, zone), midnight(last + timedelta(days=1), zone)


def events(
    connection: sqlite3.Connection, start: datetime, end: datetime, *kinds: str
) -> list[Event]:
    """In their order. A kind that ends in a dot stands for all that begin so: `run.`."""
    first, stop = first_since(connection, start), first_since(connection, end)
    alike = " OR ".join(
        "kind LIKE ? || '%'" if kind.endswith(".") else "kind = ?" for kind in kinds
    )
    rows = connection.execute(
        "SELECT id, at, kind, subject, text, data FROM events "
        f"WHERE id >= ? AND id < ? AND ({alike}) ORDER BY id",
        (first, stop, *kinds),
    )
    return [
        Event(number, at, kind, subject, text, json.loads(data))
        for number, at, kind, subject, text, data in rows
    ]


def first_since(connection: sqlite3.Connection, at: datetime) -> int:
    """The number of the first event from then on: one past the last, where there is none."""
    wanted = at.astimezone(UTC).isoformat(timespec="microseconds")
    low, high = 1, (connection.execute("SELECT max(id) FROM events").fetchone()[0] or 0) + 1
    while low < high:
        middle = (low + high) // 2
        row = connection.execute("SELECT at FROM events WHERE id = ?", (middle,)).fetchone()
        if row is not None and row[0] >= wanted:
            high = middle
        else:
            low = middle + 1
    return low


def reviewed(path: Path, start: datetime, end: datetime) -> int:
    """How many reviews of cards were made then and not undone."""
    from warpbook.journal.cards import reviews

    try:
        with open(path, "rb") as file:
            file.seek(offset_before(file, start))
            data = file.read()
    except FileNotFoundError:
        return 0
    kept = reviews.kept(reviews.read(data).acts)
    return sum(act.act == "review" and start <= act.at < end for act in kept)


def offset_before(file: Any, start: datetime) -> int:
    """Where a line begins before which all lines are older, at most some blocks too early."""
    low, high = 0, file.seek(0, 2)
    while high - low > BLOCK:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline()
        at = moment(file.readline())
        if at is not None and at < start:
            low = middle
        else:
            high = middle
    if low == 0:
        return 0
    file.seek(low)
    file.readline()
    return int(file.tell())


def moment(line: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(json.loads(line)["at"]).astimezone(UTC)
    except (ValueError, KeyError, TypeError):
        return None
