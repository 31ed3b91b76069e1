"""The queue as a page shows it: its head with what each place is for, and why it last changed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book.browse.claims import Claim, claims
from warpbook.book.tables import Event, Experiment

if TYPE_CHECKING:
    from warpbook.book.book import Book

LONGEST_TITLE = 300
REORDERED = "queue.reordered"


@dataclass(frozen=True)
class Waiting:
    """`blocked` says why it is not taken, or is empty. `valid` runs of `wanted` are made."""

    position: int
    experiment: str
    title: str
    author: str
    device: str
    pinned: bool
    priority: int
    valid: int
    wanted: int
    cost_s: float
    money: float
    reason: str
    blocked: str
    queued_at: str | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Reorder:
    """Which ones moved, and why; at a time."""

    at: str
    text: str


@dataclass(frozen=True)
class Head:
    """The first places of `total`. `held` are the authors of whom nothing is taken."""

    places: tuple[Waiting, ...]
    total: int
    paused: bool
    held: tuple[str, ...]
    reordered: Reorder | None


def head(book: "Book", limit: int = 20) -> Head:
    places = book.queue.order(limit)
    with book.reading() as session:
        total = session.scalar(select(func.count()).where(Experiment.state == "queued")) or 0
        known = claims(session, [place.experiment.id for place in places])
        reordered = last_reorder(session)
    shown = []
    for place in places:
        one = place.experiment
        shown.append(
            Waiting(
                *(place.position, one.name, one.title[:LONGEST_TITLE], one.author, one.device),
                *(one.pinned, one.priority, one.runs_valid, one.runs_wanted, place.cost_s),
                *(place.money, place.reason, place.blocked, one.queued_at),
                known.get(one.id, ()),
            )
        )
    held = tuple(book.queue.held())
    return Head(tuple(shown), total, book.queue.paused(), held, reordered)


def last_reorder(session: Session) -> Reorder | None:
    newest = select(Event.at, Event.text).where(Event.kind == REORDERED)
    found = session.execute(newest.order_by(Event.id.desc()).limit(1)).first()
    return Reorder(found.at, found.text) if found else None
