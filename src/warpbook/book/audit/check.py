"""Whether a book is whole: its file, its log, its rows, its receipts, and what follows from them.

Reads and never changes anything. What is wrong comes back as problems, also where the file is
damaged. What it cannot show: events cut off at the end of the log together with all they did, as if
the book were older, and a book rewritten from its first event on. The log's last hash is shown so
that it can be noted elsewhere; with it as `expect`, the check fails unless the log contains it.
"""

import hashlib
import json
import math
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from warpbook.book import migrate
from warpbook.book.audit import fold, receipts, recount
from warpbook.book.events import PARTS, Chain
from warpbook.book.folder import DATABASE, RUNS
from warpbook.book.revision import HEAD
from warpbook.book.run_folder import RECEIPT
from warpbook.book.sqlite import connect_read_only

MOST = 1000  # problems listed; a file in ruins has one for every row
FAULTS = (sqlite3.Error, ValueError, ArithmeticError, TypeError, LookupError, RecursionError)


@dataclass(frozen=True)
class Problem:
    where: str  # an id, a table, or a file
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass
class Report:
    """`head` is the hash of the last event. `left_out` counts problems beyond those listed."""

    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    events: int = 0
    head: str = ""
    left_out: int = 0

    @property
    def clean(self) -> bool:
        return not self.problems

    def add(self, where: str, what: str) -> None:
        if len(self.problems) < MOST:
            self.problems.append(Problem(where, what))
        else:
            self.left_out += 1


def check(folder: Path, expect: str | None = None) -> Report:
    report = Report()
    path = Path(folder) / DATABASE
    if not path.is_file():
        report.add(DATABASE, f"there is no such file in {folder}")
        return report
    try:
        with closing(connect_read_only(path)) as connection:
            connection.execute("BEGIN")  # all of it as of one moment
            check_all(Path(folder), connection, expect, report)
    except FAULTS as error:
        report.add(DATABASE, f"the file is damaged: {error}")
    return report


def check_all(
    folder: Path, connection: sqlite3.Connection, expect: str | None, report: Report
) -> None:
    check_file(connection, report)
    version = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    if version != [(HEAD,)]:
        said = version[0][0] if version else "unknown"
        report.add(DATABASE, f"its tables are of version {said}, and these are {HEAD}: not checked")
        return
    check_schema(connection, report)
    tables = fold.all_tables()
    check_log(connection, tables, expect, report)
    for table in tables.values():
        guarded(report, table.name, compare_rows, connection, table, report)
    guarded(report, "sources", check_sources, connection, report)
    guarded(report, RUNS, check_receipts, folder, connection, report)
    guarded(report, RUNS, check_other_receipts, folder, connection, report)
    guarded(report, "counts", check_counts, connection, report)
    guarded(report, "verdicts", check_derived, folder, report)


def guarded(report: Report, where: str, step: Any, *arguments: Any) -> None:
    """One part that cannot be read leaves the others to be looked at."""
    try:
        step(*arguments)
    except FAULTS as error:
        report.add(where, f"cannot be read: {error}")


def check_file(connection: sqlite3.Connection, report: Report) -> None:
    for (said,) in connection.execute("PRAGMA integrity_check(20)"):
        if said != "ok":
            report.add(DATABASE, said)
    for table, row, other, _ in connection.execute("PRAGMA foreign_key_check"):
        report.add(table, f"row {row} points to a row of {other} that is not there")


def check_schema(connection: sqlite3.Connection, report: Report) -> None:
    """Against a new book's: a trigger that was dropped leaves the log open to edits."""
    expected, found = fresh_schema(), schema(connection)
    for (kind, name), text in expected.items():
        if (kind, name) not in found:
            report.add(DATABASE, f"the {kind} {name} was dropped")
        elif found[kind, name] != text:
            report.add(DATABASE, f"the {kind} {name} was altered")
    for kind, name in found.keys() - expected.keys():
        if kind == "trigger":
            report.add(DATABASE, f"the trigger {name} is not Warpbook's")


@cache
def fresh_schema() -> dict[tuple[str, str], str | None]:
    with tempfile.TemporaryDirectory(prefix="warpbook-check-") as scratch:
        fresh = Path(scratch) / DATABASE
        migrate.create(fresh)
        with closing(sqlite3.connect(fresh)) as connection:
            return schema(connection)


def schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str | None]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(kind, name): sql for kind, name, sql in rows}


def check_log(
    connection: sqlite3.Connection,
    tables: dict[str, fold.Folded],
    expect: str | None,
    report: Report,
) -> None:
    """The chain, and the rows as the events tell of them, in one pass."""
    chain, met = Chain(), expect is None
    for record, recorded in read_events(connection, report):
        where = f"event {record['id']}"
        for what in chain.follow(record, recorded):
            report.add(where, what)
        met = met or recorded == expect
        data = record["data"]
        table = tables.get(str(data.get("table", ""))) if isinstance(data, dict) else None
        if table is not None and isinstance(data.get("set"), dict):
            for what in table.take(data.get("id"), data["set"]):
                report.add(where, what)
    report.events, report.head = chain.count, chain.head
    if not met:
        report.add("events", f"the log does not contain {expect}: events are missing")


def read_events(
    connection: sqlite3.Connection, report: Report
) -> Iterator[tuple[dict[str, Any], str]]:
    names = ", ".join(f'"{name}"' for name in PARTS)
    try:
        for row in connection.execute(f"SELECT {names}, hash FROM events ORDER BY id"):
            record: dict[str, Any] = dict(zip(PARTS, row[:-1], strict=True))
            try:
                record["data"] = json.loads(record["data"])
            except (ValueError, TypeError, RecursionError):
                report.add(f"event {record['id']}", "was edited: its data is no JSON")
                record["data"] = {}
            yield record, row[-1]
    except sqlite3.Error as error:
        report.add("events", f"cannot be read to the end: {error}")


def compare_rows(connection: sqlite3.Connection, table: fold.Folded, report: Report) -> None:
    for where, what in table.compare(connection):
        report.add(where, what)
    (count,) = connection.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()
    report.counts[table.name] = count


def check_sources(connection: sqlite3.Connection, report: Report) -> None:
    for sha256, text in connection.execute("SELECT sha256, text FROM sources"):
        if hashlib.sha256(str(text).encode()).hexdigest() != sha256:
            report.add(f"source {str(sha256)[:12]}", "was edited: its hash does not fit its text")


def check_receipts(folder: Path, connection: sqlite3.Connection, report: Report) -> None:
    """Of every valid run. A receipt keeps its bytes in any book, so an imported one has the name
    it had where it was made: the nonce says whose it is."""
    rows = connection.execute(
        "SELECT r.id, r.nonce, r.receipt_sha256, e.a_sha256, e.b_sha256, r.environment_key, "
        "r.noise_key, r.gain, r.gains FROM runs r JOIN experiments e ON e.id = r.experiment_id "
        "WHERE r.state = 'valid' ORDER BY r.id"
    )
    for number, nonce, sha256, a, b, key, noise, gain, gains in rows:
        effects = None if gains is None else json.loads(gains)
        run = receipts.Recorded(nonce, sha256, a, b, key, noise, gain, effects)
        for what in receipts.problems(folder / RUNS / f"R-{number}", run):
            report.add(f"R-{number}", what)


def check_other_receipts(folder: Path, connection: sqlite3.Connection, report: Report) -> None:
    """Of runs that are no evidence, such as one that was disqualified: unchanged since."""
    rows = connection.execute(
        "SELECT id, receipt_sha256 FROM runs WHERE state != 'valid' AND receipt_sha256 IS NOT NULL"
    )
    for number, recorded in rows:
        try:
            raw = (folder / RUNS / f"R-{number}" / RECEIPT).read_bytes()
        except OSError as error:
            report.add(f"R-{number}", f"its receipt cannot be read: {error.strerror}")
            continue
        if hashlib.sha256(raw).hexdigest() != recorded:
            report.add(f"R-{number}", "its receipt is not the one that was recorded")


def check_counts(connection: sqlite3.Connection, report: Report) -> None:
    """What is counted along the way: valid runs since the last disqualified one, and what was
    spent."""
    counted = connection.execute(
        "SELECT id, runs_valid, (SELECT count(*) FROM runs r WHERE r.experiment_id = e.id AND "
        "r.state = 'valid' AND r.id > coalesce((SELECT max(id) FROM runs d WHERE "
        "d.experiment_id = e.id AND d.state = 'disqualified'), 0)) AS made FROM experiments e "
        "WHERE runs_valid != made"
    )
    for number, stored, made in counted:
        report.add(f"E-{number}", f"runs_valid is stored as {stored}; it has {made}")
    for stored, spent in (("spent_s", "seconds"), ("spent_money", "money")):
        (kept,) = connection.execute(f"SELECT sum({stored}) FROM campaigns").fetchone()
        (made,) = connection.execute(f"SELECT sum({spent}) FROM runs").fetchone()
        if not math.isclose(kept or 0.0, made or 0.0, rel_tol=1e-6, abs_tol=1e-6):
            report.add("campaigns", f"{stored} is {kept} in all; their runs make it {made or 0.0}")


def check_derived(folder: Path, report: Report) -> None:
    for where, what in recount.differences(folder / DATABASE):
        report.add(where, what)
