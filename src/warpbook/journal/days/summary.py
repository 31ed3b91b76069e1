"""A week or a month in numbers: days, minutes, rungs, verdicts, findings, reading, recall, gains.

Every figure comes from the book's log and tables or from the index, with the reference that leads
to it. Knows nothing of how it is shown.
"""

import json
import sqlite3
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from warpbook.core.effect import Scale
from warpbook.journal.days import figures, happenings
from warpbook.journal.days.calendar import Logged, logged
from warpbook.journal.days.happenings import Event

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

BEST = 5
ENDED = ("valid", "disqualified", "invalid", "failed", "stopped", "lost")


@dataclass(frozen=True)
class Said:
    """Something with its reference: a verdict, a finding, an item that was read, a gain."""

    reference: str
    text: str
    figure: str = ""

    def document(self) -> dict[str, str]:
        return {"reference": self.reference, "text": self.text, "figure": self.figure}


@dataclass(frozen=True)
class Summary:
    """Of the days from `first` to `last`, as far as they have come."""

    kind: str  # week, month
    first: date
    last: date
    days: list[Logged] = field(default_factory=list)
    rungs: list[str] = field(default_factory=list)  # softmax/online
    runs: dict[str, int] = field(default_factory=dict)
    verdicts: list[Said] = field(default_factory=list)
    findings: list[Said] = field(default_factory=list)
    read: list[Said] = field(default_factory=list)
    reviewed: int = 0
    best: list[Said] = field(default_factory=list)

    @property
    def minutes(self) -> float:
        return sum(day.minutes or 0 for day in self.days)

    @property
    def by_track(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for day in self.days:
            for track in day.tracks:
                found.setdefault(track, 0)
            for track, minutes in day.by_track.items():
                found[track] = found.get(track, 0) + minutes
        return found

    def document(self) -> dict[str, Any]:
        said = ("verdicts", "findings", "read", "best")
        return {
            "kind": self.kind,
            "first": str(self.first),
            "last": str(self.last),
            "days": [str(day.date) for day in self.days],
            "minutes": self.minutes,
            "by_track": self.by_track,
            "rungs": self.rungs,
            "runs": self.runs,
            "reviewed": self.reviewed,
            **{name: [one.document() for one in getattr(self, name)] for name in said},
        }


def summary(journal: "Journal", kind: str, on: date | None = None) -> Summary:
    """The week (from Monday) or the month that has that date, today by default."""
    first, last = span_of(kind, on or journal.today())
    connection = journal.index.connection
    start, end = happenings.span(first, last, journal.now().tzinfo)
    events = happenings.events(
        connection, start, end, "run.", "verdict.changed", "finding.added", "measurement.added"
    )
    runs = [event for event in events if event.kind in {f"run.{state}" for state in ENDED}]
    return Summary(
        kind=kind,
        first=first,
        last=last,
        days=[day for day in logged(journal) if first <= day.date <= last],
        rungs=rungs(connection, events),
        runs=by_state(runs),
        verdicts=verdicts(connection, events),
        findings=findings(connection, events),
        read=finished(connection, first, last),
        reviewed=happenings.reviewed(journal.path("cards", "reviews.jsonl"), start, end),
        best=best(connection, [event.number for event in runs if event.kind == "run.valid"]),
    )


def span_of(kind: str, on: date) -> tuple[date, date]:
    if kind == "week":
        monday = on - timedelta(days=on.weekday())
        return monday, monday + timedelta(days=6)
    return on.replace(day=1), on.replace(day=monthrange(on.year, on.month)[1])


def by_state(runs: Sequence[Event]) -> dict[str, int]:
    ended = [event.kind.removeprefix("run.") for event in runs]
    return {state: ended.count(state) for state in ENDED if state in ended}


def rungs(connection: sqlite3.Connection, events: Sequence[Event]) -> list[str]:
    """Those judged by hand, and those that runs put to the test, each once."""
    found = dict[str, None]()
    for event in events:
        if event.kind == "measurement.added":
            row = connection.execute(
                "SELECT problem, rungs FROM measurements WHERE id = ?", (event.number,)
            ).fetchone()
            names = json.loads(row[1]) if row else []
        elif event.kind == "run.valid":
            row = connection.execute(
                "SELECT json_extract(plan, '$.problem'), json_extract(plan, '$.change.rung') "
                "FROM experiments WHERE kind = 'kernel' AND id = "
                "(SELECT experiment_id FROM runs WHERE id = ?)",
                (event.number,),
            ).fetchone()
            names = [row[1]] if row else []
        else:
            continue
        found |= {f"{row[0].rstrip('/').rpartition('/')[2]}/{name}": None for name in names if name}
    return [*found]


def verdicts(connection: sqlite3.Connection, events: Sequence[Event]) -> list[Said]:
    """The last of each hypothesis, where it is not what it was at first."""
    told: dict[str, tuple[str, str]] = {}
    for event in events:
        if event.kind == "verdict.changed":
            before = told.get(event.subject, (event.data.get("before", ""), ""))[0]
            told[event.subject] = before, event.data.get("after", "")
    return [
        Said(name, f"{after}: {claim_of(connection, name)}", shown(connection, name))
        for name, (before, after) in told.items()
        if before != after
    ]


def claim_of(connection: sqlite3.Connection, name: str) -> str:
    row = connection.execute("SELECT claim FROM hypotheses WHERE id = ?", (name[2:],)).fetchone()
    return row[0] if row else ""


def findings(connection: sqlite3.Connection, events: Sequence[Event]) -> list[Said]:
    found = []
    for event in events:
        if event.kind == "finding.added":
            row = connection.execute(
                "SELECT statement FROM findings WHERE id = ?", (event.number,)
            ).fetchone()
            if row:
                found.append(Said(event.subject, row[0], shown(connection, event.subject)))
    return found


def shown(connection: sqlite3.Connection, reference: str) -> str:
    return figures.figure(connection, reference).text


def finished(connection: sqlite3.Connection, first: date, last: date) -> list[Said]:
    """Reading that was done then, in the order of its dates."""
    rows = connection.execute(
        "SELECT key, title FROM journal_entries WHERE kind = 'reading' "
        "AND json_extract(document, '$.done') BETWEEN ? AND ? "
        "ORDER BY json_extract(document, '$.done'), path, line",
        (first.isoformat(), last.isoformat()),
    )
    return [Said(f"reading:{key}", title) for key, title in rows]


def best(connection: sqlite3.Connection, runs: Sequence[int]) -> list[Said]:
    """The largest gains among the experiments that had valid runs then; ratios, since differences
    of two metrics are not to be compared."""
    numbers = {
        number: title
        for run in runs
        for number, title in connection.execute(
            "SELECT id, title FROM experiments WHERE a_sha256 != b_sha256 AND id = "
            "(SELECT experiment_id FROM runs WHERE id = ?)",
            (run,),
        )
    }
    gains = []
    for number, title in numbers.items():
        found = figures.pooled(connection, number)
        if found and found.metric.scale is Scale.RATIO and (found.gain or 0) > 0:
            gains.append((found.gain or 0.0, number, title))
    gains.sort(key=lambda one: (-one[0], one[1]))
    return [
        Said(f"run:E-{number}", title, shown(connection, f"run:E-{number}"))
        for _, number, title in gains[:BEST]
    ]
