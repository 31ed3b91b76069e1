"""Authors: who is held, and how well each one's predictions come out."""

from sqlalchemy import Integer, func, select
from sqlalchemy.orm import Session

from warpbook.book.collection import Collection
from warpbook.book.statistics import calibration
from warpbook.book.statistics.calibration import Record, record_of
from warpbook.book.statistics.prediction import Outcome
from warpbook.book.store import Write
from warpbook.book.tables import Author, Prediction

# A widening is kept in steps of this size: each one that changes moves the author's whole queue.
STEP = 0.05
CLEAR = (Outcome.HIT, Outcome.OVER, Outcome.UNDER)


class Calibration(Collection):
    def by_author(self) -> list[Record]:
        with self.reading() as session:
            names = session.scalars(select(Author.name).order_by(Author.name)).all()
            known = records(session)
            return [known.get(name) or record_of(name, []) for name in names]


def known_author(write: Write, name: str | None = None) -> Author:
    """The row of an author, made at the first mention."""
    name = name or write.author
    author = write.session.get(Author, name)
    return author or write.add(Author(name=name, held=False), "author.added", f"author {name}")


def records(session: Session) -> dict[str, Record]:
    """Of all authors with a prediction that came out clearly, summed up by the database."""
    hit = Prediction.outcome == Outcome.HIT
    rows = session.execute(
        select(
            Prediction.author,
            func.count().label("scored"),
            func.sum(hit.cast(Integer)).label("hits"),
            func.avg(Prediction.high - Prediction.low).label("sharpness"),
            func.avg(Prediction.score).label("interval_score"),
        )
        .where(Prediction.outcome.in_(CLEAR))
        .group_by(Prediction.author)
    )
    return {
        row.author: Record(
            row.author,
            row.scored,
            row.hits,
            row.hits / row.scored,
            row.sharpness,
            row.interval_score,
            calibration.widening(row.scored, row.hits),
        )
        for row in rows
    }


def widening(session: Session, author: str) -> float:
    """From the index of outcomes alone."""
    rows = session.execute(
        select(Prediction.outcome, func.count())
        .where(Prediction.author == author, Prediction.outcome.in_(CLEAR))
        .group_by(Prediction.outcome)
    )
    counts: dict[str, int] = {row[0]: row[1] for row in rows}
    wide = calibration.widening(sum(counts.values()), counts.get(Outcome.HIT, 0))
    return round(wide / STEP) * STEP
