"""How far a book is: whether anything was ever planned, and whether any run has come out yet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from warpbook.book.tables import Event, Experiment, Run

if TYPE_CHECKING:
    from warpbook.book.book import Book


@dataclass(frozen=True)
class Glance:
    """`mark` tells this book from others: a part of the hash of its first event."""

    mark: str
    has_experiments: bool
    has_results: bool


def glance(book: "Book") -> Glance:
    with book.reading() as session:
        mark = session.scalar(select(Event.hash).order_by(Event.id).limit(1)) or ""
        experiment = session.scalar(select(Experiment.id).limit(1))
        result = session.scalar(select(Run.id).where(Run.state == "valid").limit(1))
    return Glance(mark[:16], experiment is not None, result is not None)
