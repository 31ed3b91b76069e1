"""The file in which a book's contents travel: a zip of JSON lines, run folders and the log.

    manifest.json          format, what it holds, and the size and sha256 of every member
    rows/hypotheses.jsonl  one row a line, and so for each table; other rows are named by uid
    events.jsonl           the log: {"about": uid, "event": {..., "hash"}}
    runs/R-57/...          what lies in a run's folder, under the run's name where it was made

What only lives where the book is used stays there: workers, leases, who is held, telemetry, and
whatever follows from the rest. Knows the shape of the file; `export` and `imports` know the book.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import JSON, Boolean, Float, Integer, inspect

from warpbook.book.tables import (
    Base,
    Campaign,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Measurement,
    Prediction,
    Run,
    Source,
)

FORMAT = 1
MANIFEST = "manifest.json"
EVENTS = "events.jsonl"
RUNS = "runs"

# Each after those it refers to.
TABLES: tuple[type[Base], ...] = (
    Source,
    Campaign,
    Hypothesis,
    Experiment,
    Prediction,
    Run,
    Finding,
    Link,
    Measurement,
)
REFERENCES: Mapping[str, Mapping[str, type[Base]]] = {
    "hypotheses": {"campaign_id": Campaign},
    "experiments": {"campaign_id": Campaign, "repeats_id": Experiment},
    "predictions": {"experiment_id": Experiment, "hypothesis_id": Hypothesis},
    "runs": {"experiment_id": Experiment},
    "findings": {"campaign_id": Campaign},
    "links": {"finding_id": Finding},
}
LINKED: Mapping[str, type[Base]] = {"H": Hypothesis, "E": Experiment, "F": Finding}
NOT_CARRIED = {"runs": {"worker_id"}, "experiments": {"imported"}}
STATES = {
    "campaigns": {"active", "stopped", "archived"},
    "hypotheses": {"active", "withdrawn"},
    "experiments": {
        *("draft", "held", "queued", "running", "done", "disqualified", "failed", "moot"),
        "cancelled",
    },
    "runs": {"valid", "disqualified", "invalid", "failed", "stopped", "lost"},
    "findings": {"active", "withdrawn"},
}

PART = r"[A-Za-z0-9_+@=,~-][A-Za-z0-9._+@=,~ -]{0,199}"
MEMBER = re.compile(rf"rows/[a-z]+\.jsonl|events\.jsonl|runs/R-[0-9]{{1,15}}(?:/{PART}){{1,8}}")


@dataclass(frozen=True)
class Member:
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`campaign` is the name of the one it holds, or empty for a whole book. `head` is the hash of
    the last event when it was made."""

    format: int
    warpbook: str
    tables: str
    made: str
    campaign: str
    head: str
    counts: Mapping[str, int]
    members: Mapping[str, Member] = field(default_factory=dict)


def member_of(table: type[Base]) -> str:
    return f"rows/{table.__tablename__}.jsonl"


def carried(table: type[Base]) -> list[Any]:
    """The columns of a table that travel."""
    left = NOT_CARRIED.get(table.__tablename__, set())
    return [
        column
        for column in inspect(table).columns
        if not column.info.get("derived") and column.key not in left
    ]


def line_of(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def wrong_with(table: type[Base], document: Any) -> str:
    """Why a line is no row of this table; empty if it is one. What it refers to is a uid here."""
    if not isinstance(document, dict):
        return "is no JSON object"
    columns = {column.key: column for column in carried(table)}
    if unknown := document.keys() - columns.keys():
        return f"has an unknown {', '.join(sorted(unknown))}"
    if missing := columns.keys() - document.keys():
        return f"has no {', '.join(sorted(missing))}"
    references = REFERENCES.get(table.__tablename__, {})
    for name, value in document.items():
        uid = name in references or (table is Link and name == "to_id")
        if not (isinstance(value, str | None) if uid else fits(columns[name], value)):
            return f"has {name} {str(value)[:60]!r}, which does not belong there"
        if value is None and not columns[name].nullable:
            return f"has no {name}"
    states = STATES.get(table.__tablename__)
    if states and document["state"] not in states:
        return f"is in the state {str(document['state'])[:60]!r}, which there is not"
    return ""


def fits(column: Any, value: Any) -> bool:
    if value is None:
        return bool(column.nullable)
    if isinstance(column.type, JSON):
        return isinstance(value, dict | list)
    if isinstance(column.type, Boolean):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(column.type, Integer):
        return isinstance(value, int) and abs(value) < 1 << 62
    if isinstance(column.type, Float):
        return isinstance(value, int | float) and math.isfinite(value)
    return isinstance(value, str)
