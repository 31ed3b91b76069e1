"""The best rung known of a problem, and its part of the floor: from this book, else as shipped.

Numbers of one device and workload alone are put side by side. Reads the book's tables by plain SQL;
what reads judgements and receipts is imported only when a kernel is asked for.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpbook.core.units import microseconds, percentage

if TYPE_CHECKING:
    from warpbook.book.browse.marks import Mark

NEWEST = 60  # measurements, and a sixth as many runs
LARGEST_RECEIPT = 16 * 1024 * 1024


def words(connection: sqlite3.Connection, problem: str) -> str | None:
    """`online, 91% of the floor (62.1 us) on 8192x8192-fp32, NVIDIA H200`; None for a problem that
    neither the book nor the library knows."""
    mine = marks(connection, problem)
    best = fastest(mine)
    if best is not None:
        return told(best)
    shipped, name = shipped_marks(problem)
    best = fastest(shipped)
    if best is not None:
        return f"{told(best)} (shipped, {name})" if name else told(best)
    from warpbook.kernels.library import problem_names

    if mine:
        return f"no rung has a time yet: {mine[0].rung} is {mine[0].status}"
    return "no rung was measured yet" if problem in problem_names() else None


def told(mark: "Mark") -> str:
    part = f"{percentage(mark.fraction)} of the floor" if mark.fraction else ""
    time = microseconds(mark.us)
    shown = f"{part} ({time})" if part else time
    return f"{mark.rung}, {shown} on {mark.workload}, {mark.device}"


def fastest(found: Sequence["Mark"]) -> "Mark | None":
    """Where the newest time is from: the rung that is fastest there, each by its latest time."""
    timed = [mark for mark in found if mark.us]
    if not timed:
        return None
    newest = max(timed, key=lambda mark: mark.at)
    latest: dict[str, Mark] = {}
    for mark in sorted(found, key=lambda mark: mark.at):
        if mark.of(newest.workload) and mark.device == newest.device and counts(mark):
            latest[mark.rung] = mark
    standing = [mark for mark in latest.values() if mark.us]
    return min(standing, key=lambda mark: mark.us or 0.0, default=None)


def counts(mark: "Mark") -> bool:
    from warpbook.book.browse.marks import SAY_NOTHING

    return mark.status not in SAY_NOTHING


def marks(connection: sqlite3.Connection, problem: str) -> list["Mark"]:
    from warpbook.book.browse.marks import compared, judged

    found: list[Mark] = []
    rows = connection.execute(
        "SELECT id, kind, created_at, document FROM measurements WHERE problem = ? "
        "ORDER BY id DESC LIMIT ?",
        (problem, NEWEST),
    )
    for number, kind, at, document in rows:
        read = judged if kind == "judgement" else compared
        found += read(mapping(document), at, f"M-{number}")
    return found + arms(connection, problem)


def arms(connection: sqlite3.Connection, problem: str) -> list["Mark"]:
    """Both arms of the newest runs of kernels of this problem, from their receipts."""
    from warpbook.book.browse.marks import compared

    rows = connection.execute(
        "SELECT id, ended_at FROM runs WHERE state = 'valid' AND instr(noise_key, ?) > 0 "
        "ORDER BY id DESC LIMIT ?",
        (f" | kernel | {problem} | ", NEWEST // 6),
    ).fetchall()
    found: list[Mark] = []
    for number, at in rows:
        receipt = read_receipt(folder_of(connection) / "runs" / f"R-{number}" / "receipt.json")
        found += compared(mapping(receipt.get("comparison")), at or "", f"R-{number}", "run")
    return found


def folder_of(connection: sqlite3.Connection) -> Path:
    """Of the book: behind a connection that is in memory there is another with a file."""
    files = [file for _, _, file in connection.execute("PRAGMA database_list") if file]
    return Path(files[0]).parent if files else Path()


def read_receipt(path: Path) -> dict[str, Any]:
    """One that is gone or damaged has no times."""
    try:
        if path.stat().st_size > LARGEST_RECEIPT:
            return {}
        return mapping(path.read_bytes())
    except OSError:
        return {}


def mapping(value: Any) -> dict[str, Any]:
    """Of a JSON text or a value that was read from one; nothing where it is no object."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def shipped_marks(problem: str) -> tuple[list["Mark"], str]:
    """Of the workload that most rungs have a time on, and the day they were taken."""
    from warpbook.book.browse.marks import judged
    from warpbook.kernels.shipped import files, records

    file = next(iter(files(problem)), None)
    kept = [record for record in records(file) if record.get("judgement")] if file else []
    if not kept:
        return [], ""
    created = kept[-1]["created"]
    every = [mark for record in kept for mark in judged(record["judgement"], created, "")]
    usual = most_timed(every)
    return [mark for mark in every if mark.of(usual)], created[:10]


def most_timed(found: Iterable["Mark"]) -> str:
    rungs: dict[str, set[str]] = {}
    for mark in found:
        if mark.us:
            rungs.setdefault(mark.workload, set()).add(mark.rung)
    return max(rungs, key=lambda workload: len(rungs[workload]), default="")
