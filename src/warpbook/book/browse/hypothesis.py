"""One hypothesis in full: its summary, its history, what rests on it, and what it takes to decide.

Data for a page. Texts of others are cut, its own are whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import Session

from warpbook.book import names
from warpbook.book.browse.beliefs import Point, history
from warpbook.book.browse.lists import cut
from warpbook.book.browse.run import paper
from warpbook.book.browse.speaking import Tied, tied
from warpbook.book.decisions import counts, stored
from warpbook.book.statistics.verdict import ALPHA, Verdict, log_threshold
from warpbook.book.summary import Summary, summary_of
from warpbook.book.tables import Event, Hypothesis
from warpbook.core.codec import decode
from warpbook.core.effect import Metric

if TYPE_CHECKING:
    from warpbook.book.book import Book

EVENTS = 40


@dataclass(frozen=True)
class Said:
    """A line of the log."""

    id: int
    at: str
    author: str
    kind: str
    text: str


@dataclass(frozen=True)
class Bar:
    """What a log e-value must reach in this campaign. `hypotheses` share the `alpha` of false
    verdicts."""

    hypotheses: int
    log_support: float
    log_refute: float
    alpha: float = ALPHA


@dataclass(frozen=True)
class Detail:
    """`environment` is of its newest counted run; `again` the command that measures it again."""

    summary: Summary
    metric: Metric
    history: tuple[Point, ...]
    findings: tuple[Tied, ...]
    events: tuple[Said, ...]
    bar: Bar
    environment: Mapping[str, str]
    again: str


def detail(book: "Book", name: str) -> Detail:
    with book.reading() as session:
        row = names.get(session, Hypothesis, name)
        summary = summary_of(session, row)
        newest = summary.runs[-1].id if summary.runs else None
        last = summary.experiments[-1].name if summary.experiments else ""
        return Detail(
            summary,
            decode(Metric, row.metric),
            history(session, row.id),
            tied(session, "H", row.id),
            events(session, row.name),
            bar(session, row.campaign_id),
            {} if newest is None else paper(book, f"R-{newest}").environment,
            f"warpbook rerun {last}" if last else "",
        )


def events(session: Session, subject: str) -> tuple[Said, ...]:
    """The last lines about it, newest first."""
    rows = session.execute(
        select(Event.id, Event.at, Event.author, Event.kind, cut(Event.text))
        .where(Event.subject == subject)
        .order_by(Event.id.desc())
        .limit(EVENTS)
    )
    return tuple(Said(*row) for row in rows)


def bar(session: Session, campaign: int) -> Bar:
    counted = [row.verdict for row in stored(session, campaign) if counts(row)]
    size = max(len(counted), 1)
    reach = (log_threshold(size, counted.count(v)) for v in (Verdict.SUPPORTED, Verdict.REFUTED))
    return Bar(size, *reach)
