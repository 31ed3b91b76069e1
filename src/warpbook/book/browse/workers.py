"""Workers that have not ended, and when each was last heard of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from warpbook.book.leases import lock_path
from warpbook.book.tables import Worker

if TYPE_CHECKING:
    from warpbook.book.book import Book

MOST = 20
SILENT_S = 20.0  # several heartbeats


@dataclass(frozen=True)
class Present:
    """`heard_at` is since the epoch. One that was killed never said that it ended."""

    name: str
    host: str
    pid: int
    executor: str
    started_at: str
    heard_at: float

    def is_alive(self, now_s: float) -> bool:
        return now_s - self.heard_at < SILENT_S


def workers(book: "Book") -> list[Present]:
    """The newest first."""
    with book.reading() as session:
        rows = session.scalars(
            select(Worker).where(Worker.ended_at.is_(None)).order_by(Worker.id.desc()).limit(MOST)
        ).all()
    return [
        Present(row.name, row.host, row.pid, row.executor, row.started_at, heard(book, row))
        for row in rows
    ]


def heard(book: "Book", worker: Worker) -> float:
    """Its lock is renewed even while a long transaction holds up the book."""
    try:
        return max(worker.heartbeat_at, lock_path(book, worker.id).stat().st_mtime)
    except OSError:
        return worker.heartbeat_at
