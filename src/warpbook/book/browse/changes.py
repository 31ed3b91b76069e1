"""What changed since an event: verdicts, findings, runs, experiments, summed up from the log.

Each kind of line is found by its index, counted there, and read only as far as it is told; so that
a hundred thousand events in between cost no more than a few. Knows nothing of how it is shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warpbook.book.experiments import ENDED
from warpbook.book.runs import STATES
from warpbook.book.tables import Event

if TYPE_CHECKING:
    from warpbook.book.book import Book

READ = 200  # so many verdicts are read, the newest; all are counted
TOLD = 20  # so many lines of a kind are told one by one
RUNS = tuple(state for state in STATES if state != "running")
COUNTED = (
    "verdict.changed", "finding.added", "finding.stale", "finding.restored", "finding.withdrawn",
    "hypothesis.added", "hypothesis.withdrawn", "experiment.added", "experiment.queued",
    *(f"experiment.{state}" for state in (*ENDED, "cancelled")),
    *(f"run.{state}" for state in RUNS),
    "campaign.added", "campaign.stopped", "campaign.resumed", "campaign.archived",
    "queue.reordered", "queue.paused", "queue.resumed", "author.held", "author.released", "note",
    "commit", "imported", "measurement.added",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """`event` is the newest that it tells of; `subject` an id such as H-3, or empty."""

    event: int
    kind: str
    subject: str
    text: str


@dataclass(frozen=True)
class Flip:
    """From the verdict it had at first to the one it has now, and why it came to it."""

    event: int
    at: str
    hypothesis: str
    before: str
    after: str
    why: str


@dataclass(frozen=True)
class Changes:
    """Of the events past `after` up to `last`. `counts` are by kind, `runs` by how they ended."""

    after: int
    last: int
    events: int
    counts: dict[str, int]
    runs: dict[str, int]
    verdicts: list[Flip]
    lines: list[Line]


def changes(book: "Book", after: int) -> Changes:
    with book.reading() as session:
        last = session.scalar(select(func.max(Event.id))) or 0
        counts = {kind: count(session, kind, after) for kind in COUNTED}
        counts = {kind: number for kind, number in counts.items() if number}
        runs = {state: counts[f"run.{state}"] for state in RUNS if f"run.{state}" in counts}
        verdicts = flips(session, after) if "verdict.changed" in counts else []
        lines = [*told(session, after, counts, verdicts)]
    return Changes(after, last, max(last - after, 0), counts, runs, verdicts, lines)


def count(session: Session, kind: str, after: int) -> int:
    """From the index alone."""
    found = select(func.count()).where(Event.kind == kind, Event.id > after)
    return session.scalar(found) or 0


def newest(session: Session, kind: str, after: int, limit: int) -> Sequence[Event]:
    query = select(Event).where(Event.kind == kind, Event.id > after)
    return session.scalars(query.order_by(Event.id.desc()).limit(limit)).all()


def flips(session: Session, after: int) -> list[Flip]:
    """One a hypothesis, the newest first; not those that are back where they were."""
    found: dict[str, Flip] = {}
    for event in newest(session, "verdict.changed", after, READ):
        before, now = event.data["before"], event.data["after"]
        known = found.get(event.subject)
        if known is None:
            why = event.text.partition(": ")[2]
            found[event.subject] = Flip(event.id, event.at, event.subject, before, now, why)
        else:
            found[event.subject] = Flip(
                known.event, known.at, known.hypothesis, before, known.after, known.why
            )
    return [flip for flip in found.values() if flip.before != flip.after]


def told(
    session: Session, after: int, counts: dict[str, int], verdicts: Sequence[Flip]
) -> Iterable[Line]:
    for flip in verdicts[:TOLD]:
        text = f"{flip.hypothesis} is {flip.after}, was {flip.before}: {flip.why}"
        yield Line(flip.event, "verdict.changed", flip.hypothesis, text)
    one_by_one = (
        "finding.added", "finding.stale", "finding.withdrawn", "campaign.stopped", "queue.paused",
        "queue.resumed", "author.held", "author.released", "note",
    )  # fmt: skip
    for kind in one_by_one:
        for event in newest(session, kind, after, TOLD) if kind in counts else ():
            yield Line(event.id, kind, event.subject, event.text)
    yield from summed(session, after, counts)


def summed(session: Session, after: int, counts: dict[str, int]) -> Iterable[Line]:
    ended = {state: counts[f"run.{state}"] for state in RUNS if f"run.{state}" in counts}
    if ended:
        parts = ", ".join(f"{number} {state}" for state, number in ended.items())
        text = f"{several(sum(ended.values()), 'run')} ended: {parts}"
        yield Line(last_of(session, after, (f"run.{s}" for s in ended)), "run", "", text)
    words = {
        "hypothesis.added": "{} added",
        "experiment.added": "{} added",
        "experiment.done": "{} done",
        "experiment.failed": "{} failed",
        "experiment.disqualified": "{} disqualified",
        "commit": "{} made",
        "measurement.added": "{} made",
    }
    nouns = {"hypothesis": "hypotheses"}
    for kind, words_of in words.items():
        if kind in counts:
            noun = kind.partition(".")[0]
            text = words_of.format(several(counts[kind], noun, nouns.get(noun)))
            yield Line(last_of(session, after, [kind]), kind, "", text)
    if times := counts.get("queue.reordered"):
        text = f"the queue was reordered {'once' if times == 1 else f'{times} times'}"
        yield Line(last_of(session, after, ["queue.reordered"]), "queue.reordered", "", text)


def last_of(session: Session, after: int, kinds: Iterable[str]) -> int:
    """A look-up a kind: over several at once SQLite would read all of them."""
    found = (
        session.scalar(select(func.max(Event.id)).where(Event.kind == kind, Event.id > after))
        for kind in kinds
    )
    return max((number for number in found if number is not None), default=after)


def several(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
