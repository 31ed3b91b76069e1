"""What the events say that each row is, and where the rows say otherwise.

Folding keeps 8 bytes a column, not the values: a million events fit into memory. Knows nothing of
what tables mean, except that a locked prediction is never changed.
"""

import json
import sqlite3
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import JSON, inspect

from warpbook.book.tables import BY_TABLE, Base, Belief, Event, Layout, Sample, State

# Single values and telemetry come and go without events, and so does what is wholly derived.
WITHOUT_EVENTS = {table.__tablename__ for table in (Event, State, Sample, Belief, Layout)}
LOCKED = {"low", "high", "locked_at", "experiment_id", "hypothesis_id", "author"}
NEVER_TOLD = 0
SHOWN = 60


class Folded:
    """One table's rows as their events left them."""

    def __init__(self, table: type[Base]) -> None:
        mapper = inspect(table)
        (key,) = mapper.primary_key
        self.name = table.__tablename__
        self.letter: str = getattr(table, "letter", "")
        self.key = key.name
        self.columns = [c.name for c in mapper.columns if not c.info.get("derived")]
        self.json = {c.name for c in mapper.columns if isinstance(c.type, JSON)}
        self.places = {name: i for i, name in enumerate(self.columns)}
        self.rows: dict[Any, array[int]] = {}
        self.locked: set[Any] = set()

    def take(self, key: Any, values: Mapping[str, Any]) -> Iterator[str]:
        """Apply one event; what it should not have done."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = array("q", [NEVER_TOLD] * len(self.columns))
        if key in self.locked and LOCKED & values.keys():
            yield f"changes {self.called(key)} after it was locked"
        if self.name == "predictions" and values.get("locked_at") is not None:
            self.locked.add(key)
        for name, value in values.items():
            place = self.places.get(name)
            if place is not None:
                row[place] = mark(value)

    def compare(self, connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
        """Each row that its events do not account for: which, and what is wrong."""
        unseen = set(self.rows)
        listed = ", ".join(f'"{name}"' for name in self.columns)
        for row in connection.execute(f'SELECT "{self.key}", {listed} FROM "{self.name}"'):
            key, values = row[0], row[1:]
            told = self.rows.get(key)
            if told is None:
                yield self.called(key), "is in its table, and no event tells of it"
                continue
            unseen.discard(key)
            for name, value, expected in zip(self.columns, values, told, strict=True):
                if expected not in (NEVER_TOLD, self.mark(name, value)):
                    yield (
                        self.called(key),
                        f"{name} was edited in the file: it is {shown(value)}, "
                        "which no event tells of",
                    )
        for key in sorted(unseen, key=str):
            yield self.called(key), "is gone from its table, and no event tells of that"

    def mark(self, name: str, value: Any) -> int:
        if name in self.json and isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return NEVER_TOLD - 1
        return mark(value)

    def called(self, key: Any) -> str:
        return f"{self.letter}-{key}" if self.letter else f"{self.name} {str(key)[:16]}"


def all_tables() -> dict[str, Folded]:
    tables = sorted(BY_TABLE.items())
    return {name: Folded(table) for name, table in tables if name not in WITHOUT_EVENTS}


def mark(value: Any) -> int:
    """Equal for equal values; a number is the same with and without a decimal point, as it may be
    stored either way."""
    if isinstance(value, str):
        found = hash(value)
    elif isinstance(value, int | float):
        found = hash(repr(float(value)))
    else:
        found = hash(json.dumps(value, sort_keys=True, default=repr))
    return found or 1


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
