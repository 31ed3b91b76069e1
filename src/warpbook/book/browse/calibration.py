"""Predictions and how they came out: points to draw, records by author, and sharpness over time.

The measured effect is the mean of an experiment's runs, oriented as the claim is, so that over
always means that more was predicted than came.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from sqlalchemy import Float, Select, cast, func, select
from sqlalchemy.orm import Session

from warpbook.book import evaluation
from warpbook.book.book import Book
from warpbook.book.browse.lists import cut
from warpbook.book.statistics import calibration
from warpbook.book.statistics.evidence import evidence
from warpbook.book.statistics.noise import NONE_YET, Noise
from warpbook.book.statistics.prediction import Outcome
from warpbook.book.tables import Author, Experiment, Hypothesis, Prediction, Run
from warpbook.core.codec import decode
from warpbook.core.effect import Metric, Scale
from warpbook.core.errors import NotFound

CLEAR = (Outcome.HIT, Outcome.OVER, Outcome.UNDER)
SCORED = (*CLEAR, Outcome.UNCLEAR)
MOST_POINTS = 500
MOST_RECENT = 5000  # predictions that sharpness over time looks back on
MOST_PARTS = 8
LEAST_IN_PART = 5
LEAST_MONTHS = 4
MOST_MONTHS = 12
LONGEST_TEXT = 300
SORTS = {"newest": Prediction.id, "score": Prediction.score}


@dataclass(frozen=True)
class Point:
    """A scored prediction. `low` and `high` are as they were locked, `middle` and `measured` in the
    direction that was claimed; `measured` is None where the runs are gone. `measured_low` and
    `measured_high` are its 95% interval, where it was asked for."""

    prediction: str
    experiment: str
    hypothesis: str
    author: str
    title: str
    claim: str
    metric: Metric
    direction: int
    low: float
    high: float
    outcome: str
    at: str | None
    runs: int
    measured: float | None
    measured_low: float | None = None
    measured_high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Of the interval, in the direction that was claimed."""
        low, high = sorted((self.direction * self.low, self.direction * self.high))
        return low, high

    @property
    def middle(self) -> float:
        return sum(self.ends) / 2

    @property
    def is_ratio(self) -> bool:
        return self.metric.scale is Scale.RATIO


@dataclass(frozen=True)
class Tally:
    """An author's record. `low` and `high` are the 95% interval of the hit rate; `widen` is what is
    in force. `width` is the mean width of the newest intervals of ratios, as a log."""

    author: str
    counts: dict[str, int]
    width: float | None
    widen: float

    @property
    def scored(self) -> int:
        return sum(self.counts.get(outcome, 0) for outcome in CLEAR)

    @property
    def hits(self) -> int:
        return self.counts.get(Outcome.HIT, 0)

    @property
    def hit_rate(self) -> float | None:
        return self.hits / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return calibration.wilson(self.hits, self.scored) if self.scored else None


@dataclass(frozen=True)
class Part:
    """A stretch of time: how many predictions were made in it, how wide they are on average (as a
    log), and how many hit of those that came out clearly."""

    first: str
    last: str
    count: int
    width: float
    scored: int
    hits: int

    @property
    def interval(self) -> tuple[float, float] | None:
        return calibration.wilson(self.hits, self.scored) if self.scored else None


def tallies(book: Book) -> list[Tally]:
    """Of every author who has predicted anything, the most predictions first."""
    with book.reading() as session:
        rows = session.execute(
            select(Prediction.author, Prediction.outcome, func.count()).group_by(
                Prediction.author, Prediction.outcome
            )
        )
        counts: dict[str, dict[str, int]] = {}
        for author, outcome, count in rows:
            counts.setdefault(author, {})[outcome] = count
        authors = session.execute(select(Author.name, Author.widen))
        widen = {row.name: row.widen for row in authors}
        found = [
            Tally(author, each, mean_width(session, author), widen.get(author, 1.0))
            for author, each in counts.items()
        ]
    return sorted(found, key=lambda tally: (-tally.scored, tally.author))


def mean_width(session: Session, author: str) -> float | None:
    """Of the author's newest predictions of ratios that came out clearly."""
    ids = newest(session, author, Prediction.id.desc(), MOST_POINTS)
    clear = known(func.avg(Prediction.high - Prediction.low)).where(
        Prediction.id.in_(ids), Prediction.outcome.in_(CLEAR), is_ratio()
    )
    found: float | None = session.scalar(clear)
    return found


def is_ratio() -> Any:
    return func.json_extract(Hypothesis.metric, "$.scale") == Scale.RATIO


def known(*columns: Any) -> Select[Any]:
    return select(*columns).join(Hypothesis, Hypothesis.id == Prediction.hypothesis_id)


def newest(session: Session, author: str, order: Any, limit: int, offset: int = 0) -> Sequence[int]:
    """Which scored predictions, from their own table and index alone; what else is known of so few
    is then quickly looked up."""
    chosen = select(Prediction.id).where(Prediction.outcome.in_(SCORED))
    if author:
        chosen = chosen.where(Prediction.author == author)
    return session.scalars(chosen.order_by(order).limit(limit).offset(offset)).all()


def points(book: Book, author: str = "") -> list[Point]:
    """The newest scored predictions, as many as a picture can hold."""
    with book.reading() as session:
        check_author(session, author)
        rows = rows_of(session, author, Prediction.id.desc(), MOST_POINTS, 0)
        return [point(row, runs) for row, runs in with_runs(session, rows)]


def page(
    book: Book, author: str = "", sort: str = "-newest", limit: int = 50, offset: int = 0
) -> list[Point]:
    """Scored predictions for a table, each with the interval of what was measured."""
    with book.reading() as session:
        check_author(session, author)
        column = SORTS.get(sort.lstrip("-"), Prediction.id)
        order = column.desc() if sort.startswith("-") else column.asc()
        rows = rows_of(session, author, order, limit, offset)
        noises: dict[tuple[str, str], Noise] = {}
        return [
            point(row, runs, noise_of(session, noises, row))
            for row, runs in with_runs(session, rows)
        ]


def check_author(session: Session, author: str) -> None:
    if author and session.get(Author, author) is None:
        raise NotFound(f"no author {author!r} in this book")


def rows_of(session: Session, author: str, order: Any, limit: int, offset: int) -> Sequence[Any]:
    columns = (
        Prediction.id, Prediction.experiment_id, Prediction.hypothesis_id, Prediction.author,
        Prediction.low, Prediction.high, Prediction.outcome, Prediction.locked_at,
        Hypothesis.metric, Hypothesis.direction, Experiment.noise_key,
        cut(Hypothesis.claim, LONGEST_TEXT).label("claim"),
        cut(Experiment.title, LONGEST_TEXT).label("title"),
    )  # fmt: skip
    ids = newest(session, author, order, limit, offset)
    query = known(*columns).join(Experiment, Experiment.id == Prediction.experiment_id)
    rows = {row.id: row for row in session.execute(query.where(Prediction.id.in_(ids)))}
    return [rows[number] for number in ids if number in rows]


def with_runs(session: Session, rows: Sequence[Any]) -> Iterable[tuple[Any, list[Any]]]:
    """Each with the effects of its experiment's runs since the last disqualified one, on its
    metric: [gain, error]."""
    found: dict[int, list[Any]] = {}
    query = (
        select(Run.experiment_id, Run.state, Run.gains)
        .where(
            Run.experiment_id.in_({row.experiment_id for row in rows}),
            Run.state.in_(("valid", "disqualified")),
        )
        .order_by(Run.id)
    )
    for number, state, gains in session.execute(query):
        if state == "disqualified":
            found[number] = []
        elif gains:
            found.setdefault(number, []).append(gains)
    for row in rows:
        name = row.metric["name"]
        yield row, [g[name] for g in found.get(row.experiment_id, []) if name in g]


def noise_of(session: Session, known: dict[tuple[str, str], Noise], row: Any) -> Noise:
    key = (row.noise_key or "", row.metric["name"])
    if key not in known:
        known[key] = evaluation.noise_for(session, *key) if key[0] else NONE_YET
    return known[key]


def point(row: Any, runs: Sequence[Any], noise: Noise | None = None) -> Point:
    gains = [row.direction * gain for gain, _ in runs]
    low = high = None
    if noise is not None and runs:
        seen = evidence(gains, [error for _, error in runs], 0.0, noise)
        low, high = seen.low, seen.high
    return Point(
        prediction=f"P-{row.id}",
        experiment=f"E-{row.experiment_id}",
        hypothesis=f"H-{row.hypothesis_id}",
        author=row.author,
        title=row.title,
        claim=row.claim,
        metric=decode(Metric, row.metric),
        direction=row.direction,
        low=row.low,
        high=row.high,
        outcome=row.outcome,
        at=row.locked_at,
        runs=len(runs),
        measured=fmean(gains) if gains else None,
        measured_low=low,
        measured_high=high,
    )


def sharpness(book: Book, author: str = "") -> list[Part]:
    """Of the newest scored predictions of ratios: by month once there are some, else in parts of
    equal size."""
    columns = (
        Prediction.locked_at, cast(Prediction.high - Prediction.low, Float), Prediction.outcome,
    )  # fmt: skip
    query = known(*columns).where(is_ratio(), Prediction.locked_at.is_not(None))
    with book.reading() as session:
        check_author(session, author)
        ids = newest(session, author, Prediction.id.desc(), MOST_RECENT)
        rows = session.execute(query.where(Prediction.id.in_(ids))).all()
    ordered = sorted(tuple(row) for row in rows)
    months: dict[str, list[Any]] = {}
    for row in ordered:
        months.setdefault(row[0][:7], []).append(row)
    if len(months) >= LEAST_MONTHS:
        return [part(group) for group in [*months.values()][-MOST_MONTHS:]]
    count = min(max(len(ordered) // LEAST_IN_PART, 1), MOST_PARTS)
    cuts = [len(ordered) * k // count for k in range(count + 1)]
    groups = [ordered[start:end] for start, end in pairwise(cuts)]
    return [part(group) for group in groups if group]


def part(rows: Sequence[Any]) -> Part:
    clear = [outcome for _, _, outcome in rows if outcome in CLEAR]
    return Part(
        first=rows[0][0],
        last=rows[-1][0],
        count=len(rows),
        width=fmean(width for _, width, _ in rows),
        scored=len(clear),
        hits=sum(outcome == Outcome.HIT for outcome in clear),
    )
