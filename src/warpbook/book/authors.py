"""Authors: who is held, and how well each one's predictions come out."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book.calibration import Record, record_of
from warpbook.book.collection import Collection
from warpbook.book.prediction import Outcome, Score
from warpbook.book.store import Write
from warpbook.book.tables import Author, Prediction

# A widening is kept in steps of this size: each one that changes moves the author's whole queue.
STEP = 0.05


class Calibration(Collection):
    def by_author(self) -> list[Record]:
        with self.reading() as session:
            names = session.scalars(select(Author.name).order_by(Author.name)).all()
            return [record(session, name) for name in names]


def known_author(write: Write, name: str | None = None) -> Author:
    """The row of an author, made at the first mention."""
    name = name or write.author
    author = write.session.get(Author, name)
    return author or write.add(Author(name=name, held=False), "author.added", f"author {name}")


def record(session: Session, author: str) -> Record:
    rows = session.execute(
        select(Prediction.outcome, Prediction.score, Prediction.high - Prediction.low).where(
            Prediction.author == author, Prediction.outcome.in_(list(Outcome))
        )
    )
    return record_of(
        author, [Score(Outcome(outcome), score or 0.0, width) for outcome, score, width in rows]
    )


def widening(session: Session, author: str) -> float:
    return round(record(session, author).widen / STEP) * STEP
