"""Telemetry in the book: what devices did, second by second at first, and thinner with age.

Rows come and go without events: nothing rests on them. Knows nothing of how a device is read.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from warpbook.book.tables import Sample

if TYPE_CHECKING:
    from warpbook.book.book import Book

HOUR = 3600.0
DAY = 24 * HOUR
# Past this age one sample stands for so many seconds.
STEPS = ((30 * DAY, 900.0), (DAY, 60.0), (HOUR, 10.0))
AVERAGED = (
    "utilisation", "memory_bytes", "memory_total_bytes", "clock_mhz", "memory_clock_mhz",
    "power_w", "temperature_c",
)  # fmt: skip
WHOLE = ("memory_bytes", "memory_total_bytes")


def record(book: "Book", samples: Sequence[dict[str, Any]]) -> None:
    """Each has the columns of a Sample."""
    if not samples:
        return
    with book.writing() as write:
        write.session.execute(insert(Sample), list(samples))


def series(
    book: "Book", device: str, start: float, end: float, limit: int = 100_000
) -> list[Sample]:
    """Samples that end within a span, in seconds since the epoch, oldest first."""
    with book.reading() as session:
        query = select(Sample).where(Sample.device == device, Sample.at > start, Sample.at <= end)
        return [*session.scalars(query.order_by(Sample.at).limit(limit))]


def devices(book: "Book") -> list[str]:
    with book.reading() as session:
        return [*session.scalars(select(Sample.device).distinct().order_by(Sample.device))]


def thin(book: "Book", now: float, last: float = 0.0) -> int:
    """Replace samples by their average once they are old enough; how many rows went. `last` is when
    this was done before: what was old enough then is not looked at again."""
    gone = 0
    known = devices(book)
    with book.writing() as write:
        for age, span in STEPS:
            # Only whole spans: what is in one is averaged once.
            after, before = ((at - age) // span * span for at in (last, now))
            for device in known:
                gone += thin_to(write.session, device, after, before, span)
    return gone


def thin_to(session: Session, device: str, after: float, before: float, span: float) -> int:
    rows = session.scalars(
        select(Sample)
        .where(Sample.device == device, Sample.at > after, Sample.at <= before)
        .where(Sample.span_s < span * 0.99)
        .order_by(Sample.at)
    )
    gone = 0
    for _, group in groupby(rows.all(), key=lambda row: -(-row.at // span)):
        members = list(group)
        if len(members) < 2:
            continue
        session.execute(delete(Sample).where(Sample.id.in_([row.id for row in members])))
        session.execute(insert(Sample).values(device=device, **average(members)))
        gone += len(members) - 1
    return gone


def average(rows: Sequence[Sample]) -> dict[str, Any]:
    """Weighted by the spans they stand for."""
    found: dict[str, Any] = {
        "at": max(row.at for row in rows),
        "span_s": sum(row.span_s for row in rows),
        "processes": largest(process for row in rows for process in row.processes),
    }
    for name in AVERAGED:
        known = [(getattr(row, name), row.span_s) for row in rows]
        known = [(value, span) for value, span in known if value is not None]
        weight = sum(span for _, span in known)
        mean = sum(value * span for value, span in known) / weight if weight else None
        found[name] = round(mean) if mean is not None and name in WHOLE else mean
    return found


def largest(processes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each process that was seen, with the most memory it had."""
    found: dict[int, dict[str, Any]] = {}
    for process in processes:
        known = found.get(process["pid"])
        if known is None or known["memory_bytes"] < process["memory_bytes"]:
            found[process["pid"]] = process
    return list(found.values())
