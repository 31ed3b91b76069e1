"""What is known of each card, kept in a table that follows `cards/reviews.jsonl`.

The log is the truth. What was added to it is folded onto the table; a log that changed otherwise
is folded anew. Knows cards by their ids, and nothing of which there are.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.cards import card_files, reviews, schedule
from warpbook.journal.cards.reviews import Act
from warpbook.journal.cards.schedule import RATINGS, STATES, Recall
from warpbook.journal.days.happenings import midnight
from warpbook.journal.entry import Problem

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

MARK = "reviews"  # its name in journal_meta
MOST_ADDED = 50  # acts; folding anew is quicker than looking each of more of them up
MOST_PROBLEMS = 100
COLUMNS = (
    "card, due, state, step, stability, difficulty, "
    "last_review, reviews, lapses, flagged, suspended"
)


@dataclass(frozen=True)
class Mark:
    """How far the log was folded: so many bytes, with this hash, at this retention. `stat` tells
    that nobody wrote since."""

    stat: list[int] = field(default_factory=list)
    size: int = 0
    lines: int = 0
    sha256: str = ""
    retention: float = 0.0
    problems: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    act: Act
    before: Recall
    after: Recall


def sync(journal: "Journal") -> list[Problem]:
    """Brings the table up to the log; the lines of it that could not be used."""
    connection = journal.index.connection
    mark = read_mark(connection)
    stat, retention = stat_of(journal), journal.settings.retention
    if mark.stat != stat or mark.retention != retention:
        connection.execute("BEGIN IMMEDIATE")
        try:
            make_writable(connection)
            mark = read_mark(connection)
            stat, data = contents(journal)
            mark = folded(connection, mark, data, retention, stat)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return [Problem(reviews.FILE, line, text) for line, text in mark.problems]


def make_writable(connection: sqlite3.Connection) -> None:
    """Where the book may only be read, tables of this connection's own stand before its own."""
    try:
        connection.execute("DELETE FROM journal_meta WHERE FALSE")
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error):
            raise
        for name in ("journal_recall", "journal_meta"):
            found = connection.execute("SELECT sql FROM main.sqlite_master WHERE name = ?", (name,))
            (made,) = found.fetchone()
            connection.execute(made.replace("CREATE TABLE", "CREATE TEMP TABLE", 1))


def stat_of(journal: "Journal") -> list[int]:
    try:
        found = journal.path(reviews.FILE).stat()
    except FileNotFoundError:
        return []
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def contents(journal: "Journal") -> tuple[list[int], bytes]:
    """What the file was before it was read, and its bytes: what comes meanwhile is seen later."""
    stat = stat_of(journal)
    try:
        return stat, journal.path(reviews.FILE).read_bytes()
    except FileNotFoundError:
        return [], b""
    except OSError as error:
        raise BadInput(f"{reviews.FILE}:1: cannot be read: {error.strerror}") from None


def read_mark(connection: sqlite3.Connection) -> Mark:
    row = connection.execute("SELECT value FROM journal_meta WHERE name = ?", (MARK,)).fetchone()
    return Mark(**json.loads(row[0])) if row else Mark()


def folded(
    connection: sqlite3.Connection, mark: Mark, data: bytes, retention: float, stat: list[int]
) -> Mark:
    before = data[: mark.size]
    added = None
    if mark.sha256 == hashlib.sha256(before).hexdigest() and mark.retention == retention:
        added = reviews.read(data[mark.size :], mark.lines + 1)
        if len(added.acts) > MOST_ADDED or any(act.id.encode() in before for act in added.acts):
            added = None
    if added:
        changed = after(connection, added.acts, data, retention)
    else:
        mark = Mark()
        added = reviews.read(data)
        changed = list(schedule.fold(added.acts, retention).values())
        connection.execute("DELETE FROM journal_recall")
    write(connection, changed)
    size = mark.size + added.size
    old = [one for one in mark.problems if one[0] <= mark.lines]
    found = [*old, *((one.line, one.text) for one in added.problems)][:MOST_PROBLEMS]
    mark = Mark(
        stat,
        size,
        mark.lines + added.count,
        hashlib.sha256(data[:size]).hexdigest(),
        retention,
        found,
    )
    connection.execute(
        "INSERT OR REPLACE INTO journal_meta (name, value) VALUES (?, ?)",
        (MARK, json.dumps(asdict(mark))),
    )
    return mark


def after(
    connection: sqlite3.Connection, acts: Sequence[Act], data: bytes, retention: float
) -> list[Recall]:
    """The cards that these last acts changed. One of which an act was undone is folded from all of
    its lines."""
    undone = {act.of.encode() for act in acts if act.act == "undo" and act.of}
    lines = reviews.LINE.findall(data) if undone else []
    anew = {act.card for act in reading(lines, undone) if act.id.encode() in undone}
    changed: dict[str, Recall] = {}
    if anew:
        names = {card.encode() for card in anew} | {b'"undo"'}
        all_acts = [act for act in reading(lines, names) if act.card in anew or act.act == "undo"]
        known = schedule.fold(all_acts, retention)
        changed = {card: known.get(card) or Recall(card) for card in anew}
    for act in reviews.kept(acts):
        if act.card not in anew:
            was = changed.get(act.card) or one_row(connection, act.card)
            changed[act.card] = schedule.taken(was, act, retention)
    return list(changed.values())


def reading(lines: Iterable[bytes], names: Iterable[bytes]) -> list[Act]:
    """The acts of the lines that have one of these in them."""
    names = tuple(names)
    picked = b"".join(line for line in lines if any(name in line for name in names))
    return reviews.read(picked).acts


def write(connection: sqlite3.Connection, changed: Iterable[Recall]) -> None:
    marks = ", ".join("?" * 11)
    connection.executemany(
        f"INSERT OR REPLACE INTO journal_recall ({COLUMNS}) VALUES ({marks})",
        (
            (
                one.card,
                text_of(one.due),
                STATES.index(one.state),
                one.step,
                one.stability,
                one.difficulty,
                text_of(one.last_review),
                one.reviews,
                one.lapses,
                one.flagged,
                one.suspended,
            )
            for one in changed
        ),
    )


def text_of(at: datetime | None) -> str | None:
    """One form and width for all, so that they compare as texts."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds") if at else None


def recall_of(row: Sequence[Any]) -> Recall:
    card, due, state, step, stability, difficulty, last, count, lapses, flagged, suspended = row
    return Recall(
        card,
        STATES[state],
        datetime.fromisoformat(due) if due else None,
        step,
        stability,
        difficulty,
        datetime.fromisoformat(last) if last else None,
        count,
        lapses,
        bool(flagged),
        bool(suspended),
    )


def one_row(connection: sqlite3.Connection, card: str) -> Recall:
    row = connection.execute(
        f"SELECT {COLUMNS} FROM journal_recall WHERE card = ?", (card,)
    ).fetchone()
    return recall_of(row) if row else Recall(card)


def get(journal: "Journal", card: str) -> Recall:
    """How well a card is known; one that was never asked is new."""
    sync(journal)
    return one_row(journal.index.connection, card)


def preview(journal: "Journal", card: str, at: datetime | None = None) -> dict[int, datetime]:
    """When it would be due again, by rating. A review with the same `at` does just that."""
    return schedule.previewed(get(journal, card), at or journal.now(), journal.settings.retention)


def review(
    journal: "Journal", card: str, rating: int, seconds: float = 0.0, at: datetime | None = None
) -> Outcome:
    if rating not in RATINGS:
        raise BadInput(f"a rating is 1 (again), 2 (hard), 3 (good) or 4 (easy), not {rating}")
    seconds = min(max(seconds, 0.0), timedelta(days=1).total_seconds())
    return done(journal, card, "review", at, rating=rating, seconds=seconds)


def flag(journal: "Journal", card: str, on: bool = True) -> Outcome:
    """Marks a card that wants mending; it is asked as before."""
    return done(journal, card, "flag" if on else "unflag")


def suspend(journal: "Journal", card: str, on: bool = True) -> Outcome:
    """Lets a card rest: it is asked no more until that is taken back."""
    return done(journal, card, "suspend" if on else "unsuspend")


def done(
    journal: "Journal", card: str, act: str, at: datetime | None = None, **more: Any
) -> Outcome:
    """One line in the log; then the table, and the card's id in its file."""
    before = get(journal, card)
    said = reviews.new(card, act, at or journal.now(), **more)
    reviews.append(journal.path(reviews.FILE), said)
    outcome = Outcome(said, before, get(journal, card))
    card_files.stamp(journal, journal.index.one("card", card))
    return outcome


def undo(journal: "Journal", of: str = "") -> Act:
    """Takes back the last act that was not taken back yet, or the one named."""
    act = last(journal, of)
    said = reviews.new(act.card, "undo", journal.now(), of=act.id)
    reviews.append(journal.path(reviews.FILE), said)
    sync(journal)
    return act


def last(journal: "Journal", of: str = "") -> Act:
    _, data = contents(journal)
    undone: set[str] = set()
    for raw in reversed(data.split(b"\n")):
        for act in reviews.read(raw).acts:
            if act.act == "undo":
                undone.add(act.of)
            elif act.id not in undone and of in ("", act.id):
                return act
    raise NotFound("there is nothing to undo")


def end_of_today(journal: "Journal") -> datetime:
    return midnight(journal.today() + timedelta(days=1), journal.now().tzinfo)


def is_due(known: Recall, now: datetime, end: datetime) -> bool:
    """What is being learnt is due to the minute, all else on its day."""
    if known.due is None or known.suspended:
        return False
    return known.due < end if known.state == "review" else known.due <= now


def among(journal: "Journal", cards: Iterable[str]) -> dict[str, Recall]:
    sync(journal)
    with closing(journal.index.connection.cursor()) as cursor:
        found = cursor.execute(
            f"SELECT {COLUMNS} FROM journal_recall WHERE card IN (SELECT value FROM json_each(?))",
            (json.dumps(list(cards)),),
        )
        return {row[0]: recall_of(row) for row in found}


def due_among(journal: "Journal", cards: Sequence[str]) -> list[str]:
    """Those to ask today, the ones never asked among them."""
    known = among(journal, cards)
    now, end = journal.now(), end_of_today(journal)

    def asks(card: str) -> bool:
        one = known.get(card) or Recall(card)
        return not one.suspended if one.state == "new" else is_due(one, now, end)

    return [card for card in cards if asks(card)]


def suspended_among(journal: "Journal", cards: Sequence[str]) -> set[str]:
    return {card for card, known in among(journal, cards).items() if known.suspended}
