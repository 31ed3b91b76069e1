"""Which cards there are, and which of them to ask now.

A deck has the cards of the book's texts, and those of courses that were presented or asked before.
Knows nothing of how a card is shown.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from warpbook.book.match import match
from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.cards import card_files, recall, reviews
from warpbook.journal.cards.cards import Card
from warpbook.journal.cards.proposals import Known, NewCard, usable
from warpbook.journal.cards.schedule import Recall
from warpbook.journal.days.happenings import span

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

CARD_COLUMNS = "e.key, e.line, e.path, e.topic, e.document"
RECALL_COLUMNS = ", ".join(f"r.{name}" for name in recall.COLUMNS.split(", "))
# A key that two files have is the card of the first of them.
FROM = (
    "FROM journal_entries e LEFT JOIN journal_recall r ON r.card = e.key WHERE e.kind = 'card' "
    "AND e.id = (SELECT o.id FROM journal_entries o WHERE o.kind = 'card' AND o.key = e.key "
    "ORDER BY o.path, o.line LIMIT 1)"
)
CARDS = f"SELECT {CARD_COLUMNS}, {RECALL_COLUMNS} {FROM}"
NEW = "coalesce(r.state, 0) = 0"
RESTS = "coalesce(r.suspended, 0) = 1"
IS_DUE = (
    f"NOT {RESTS} AND ((r.state = 2 AND r.due < :end) OR (r.state IN (1, 3) AND r.due <= :now))"
)
NUMBERS = ("cards", "due", "new", "learning", "flagged", "suspended")  # of a topic
STATES = {
    "due": IS_DUE,
    "new": f"{NEW} AND NOT {RESTS}",
    "learning": f"r.state IN (1, 3) AND NOT {RESTS}",
    "review": f"r.state = 2 AND NOT {RESTS}",
    "flagged": "r.flagged = 1",
    "suspended": RESTS,
}


@dataclass(frozen=True)
class Held:
    """A card of the deck, and how well it is known."""

    card: Card
    recall: Recall


@dataclass(frozen=True)
class Topic:
    """`due` are those to ask again today, `new` those never asked."""

    name: str
    cards: int
    due: int
    new: int
    learning: int
    flagged: int
    suspended: int


def due(
    journal: "Journal",
    topic: str | None = None,
    limit: int | None = None,
    new: int | None = None,
    ahead: timedelta = timedelta(0),
) -> list[Held]:
    """The cards to ask, as `queue` has them."""
    ids = queue(journal, topic, new, ahead)[:limit]
    found = {one.card.id: one for one in by_keys(journal, ids)}
    if len(found) < len(ids):
        taught = of_courses(journal, "all", topic, journal.now())
        found = {one.card.id: one for one in taught} | found
    return [found[id] for id in ids if id in found]


def queue(
    journal: "Journal",
    topic: str | None = None,
    new: int | None = None,
    ahead: timedelta = timedelta(0),
) -> list[str]:
    """Ids of the cards to ask: those being learnt first, as they fall due, then what is due today,
    then new ones. `new` is how many new cards a day may have, those asked today among them; `ahead`
    takes in what is being learnt and falls due within it."""
    recall.sync(journal)
    now = journal.now() + ahead
    end = recall.text_of(recall.end_of_today(journal))
    rows = journal.index.connection.execute(
        f"SELECT e.key, r.state = 2, r.due {FROM} AND {IS_DUE} "
        "AND (:topic IS NULL OR e.topic = :topic)",
        {"topic": topic, "now": recall.text_of(now), "end": end},
    ).fetchall()
    for one in of_courses(journal, "due", topic, now):
        known = one.recall
        rows.append((one.card.id, known.state == "review", recall.text_of(known.due) or ""))
    learning = sorted((at, key) for key, is_known, at in rows if not is_known)
    rest = sorted((key for key, is_known, _ in rows if is_known), key=order(journal))
    left = max((journal.settings.new_a_day if new is None else new) - introduced(journal), 0)
    fresh = fresh_cards(journal, topic, left) if left else []
    return [*(key for _, key in learning), *rest, *fresh]


def fresh_cards(journal: "Journal", topic: str | None, most: int) -> list[str]:
    """Some that were never asked, other ones each day."""
    asked = f"{STATES['new']} AND (:topic IS NULL OR e.topic = :topic)"
    keys = journal.index.connection.execute(f"SELECT e.key {FROM} AND {asked}", {"topic": topic})
    taught = (one.card.id for one in of_courses(journal, "new", topic, journal.now()))
    return sorted({*(key for (key,) in keys), *taught}, key=order(journal))[:most]


def order(journal: "Journal") -> Any:
    """The order of a day: the same all day long, another tomorrow."""
    today = journal.today().isoformat()
    return lambda card: hashlib.sha256(f"{today}\0{card}".encode()).digest()


def picked(
    journal: "Journal",
    asked: str,
    topic: str | None,
    now: datetime,
    search: str = "",
    limit: int = -1,
    offset: int = 0,
) -> list[Held]:
    query = match(search)
    matching = "e.id IN (SELECT rowid FROM journal_text WHERE journal_text MATCH :match)"
    rows = journal.index.connection.execute(
        f"{CARDS} AND {asked} AND (:topic IS NULL OR e.topic = :topic) "
        f"AND {matching if query else 'TRUE'} ORDER BY e.topic, e.path, e.line, e.key "
        "LIMIT :limit OFFSET :offset",
        {
            "topic": topic,
            "now": recall.text_of(now),
            "end": recall.text_of(recall.end_of_today(journal)),
            "match": query,
            "limit": limit,
            "offset": offset,
        },
    )
    return [held(row) for row in rows]


def by_keys(journal: "Journal", keys: Sequence[str]) -> list[Held]:
    rows = journal.index.connection.execute(
        f"{CARDS} AND e.key IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),)
    )
    return [held(row) for row in rows]


def held(row: Sequence[Any]) -> Held:
    key, line, path, topic, document = row[:5]
    said = json.loads(document)
    card = Card(
        key, said["question"], said["answer"], topic, path, line, said["text"], said["written"]
    )
    return Held(card, recall.recall_of(row[5:]) if row[5] is not None else Recall(key))


def of_courses(journal: "Journal", state: str, topic: str | None, now: datetime) -> list[Held]:
    """Cards of courses in that state; `all` for every one. The book's own card of the same id is
    the one that counts."""
    from warpbook.journal.teaching import course, lessons

    connection = journal.index.connection
    names = set(course.names())
    if topic is not None:
        names &= {topic}
    asked = connection.execute("SELECT card FROM journal_recall WHERE instr(card, '.') > 0")
    ids = {*lessons.presented_cards(journal.folder), *(card for (card,) in asked)}
    ids = {card for card in ids if card.partition(".")[0] in names}
    if not ids:
        return []
    own = connection.execute(
        "SELECT key FROM journal_entries WHERE kind = 'card' AND key IN "
        "(SELECT value FROM json_each(?))",
        (json.dumps(sorted(ids)),),
    )
    ids -= {key for (key,) in own}
    known = recall.among(journal, ids)
    end = recall.end_of_today(journal)
    courses = [course.load(name) for name in sorted({card.partition(".")[0] for card in ids})]
    taught = [card for one in courses for step in one.steps for card in step.cards]
    found = [Held(card, known.get(card.id) or Recall(card.id)) for card in taught if card.id in ids]
    return [one for one in found if is_in(one.recall, state, now, end)]


def is_in(known: Recall, state: str, now: datetime, end: datetime) -> bool:
    match state:
        case "all":
            return True
        case "due":
            return recall.is_due(known, now, end)
        case "flagged":
            return known.flagged
        case "suspended":
            return known.suspended
        case "learning":
            return known.state in ("learning", "relearning") and not known.suspended
    return known.state == state and not known.suspended


def introduced(journal: "Journal") -> int:
    """How many cards were asked today for the first time."""
    _, data = recall.contents(journal)
    zone = journal.now().tzinfo
    days = {at.date() for at in span(journal.today(), journal.today(), zone)}
    names = [day.isoformat().encode() for day in days]
    first = min((at for name in names if (at := data.find(name)) >= 0), default=len(data))
    since = data[data.rfind(b"\n", 0, first) + 1 :]
    acts = recall.reading(reviews.LINE.findall(since), names)
    asked = Counter(
        act.card
        for act in reviews.kept(acts)
        if act.act == "review" and act.at.astimezone(zone).date() == journal.today()
    )
    known = recall.among(journal, asked)
    return sum(known[card].reviews == count for card, count in asked.items() if card in known)


def cards(
    journal: "Journal",
    topic: str | None = None,
    state: str | None = None,
    search: str = "",
    limit: int = -1,
    offset: int = 0,
) -> list[Held]:
    """Those of the book by topic and place, then those of courses."""
    if state is not None and state not in STATES:
        raise BadInput(f"{state!r} is no state of a card; there are: {', '.join(STATES)}")
    recall.sync(journal)
    now, asked = journal.now(), STATES[state] if state else "TRUE"
    found = picked(journal, asked, topic, now, search, limit, offset)
    if 0 <= limit <= len(found):
        return found
    taught = of_courses(journal, state or "all", topic, now)
    words = search.casefold().split()
    taught = [
        one
        for one in taught
        if all(word in f"{one.card.question} {one.card.answer}".casefold() for word in words)
    ]
    before = offset if found or not offset else count(journal, asked, topic, now, search)
    start = max(offset - before, 0)
    return found + taught[start : None if limit < 0 else start + limit - len(found)]


def count(journal: "Journal", asked: str, topic: str | None, now: datetime, search: str) -> int:
    return len(picked(journal, asked, topic, now, search))


def get(journal: "Journal", name: str) -> Held:
    """By its id, or the beginning of one that no other has."""
    recall.sync(journal)
    from warpbook.journal.teaching import course

    name = name.strip().removeprefix("card:")
    exact = by_keys(journal, [name])
    if exact:
        return exact[0]
    place = course.find(name)
    if place:
        return Held(place[2], recall.one_row(journal.index.connection, name))
    rows = journal.index.connection.execute(
        "SELECT DISTINCT key FROM journal_entries WHERE kind = 'card' AND key >= ? AND key < ? "
        "ORDER BY key LIMIT 5",
        (name, f"{name}\U0010ffff"),
    )
    keys = [key for (key,) in rows] if name else []
    if len(keys) == 1:
        return by_keys(journal, keys)[0]
    if keys:
        raise BadInput(f"{name!r} is the beginning of several cards: {', '.join(keys)}")
    raise NotFound(f"there is no card {name!r}; `warpbook card list` shows them")


def add(journal: "Journal", question: str, answer: str, topic: str) -> Held:
    """A new card in the file of its topic. Without an answer the question is a text with clozes."""
    new = NewCard(question, answer, card_files.topic_of(topic))
    if not usable(new):
        raise BadInput("a card has a question and an answer, or clozes such as {{c1::warp}}")
    if known := Known(journal).key(new):
        raise Taken(f"this is a card already: warpbook card show {known}")
    card_files.add(journal, new.topic, [new.card()])
    return get(journal, new.card().id)


def next_due(journal: "Journal", topic: str | None = None) -> datetime | None:
    """When a card that is known comes back; None where there is none."""
    recall.sync(journal)
    (found,) = journal.index.connection.execute(
        "SELECT min(r.due) FROM journal_recall r JOIN journal_entries e ON e.kind = 'card' AND "
        "e.key = r.card WHERE r.suspended = 0 AND (:topic IS NULL OR e.topic = :topic)",
        {"topic": topic},
    ).fetchone()
    dues = [datetime.fromisoformat(found)] if found else []
    taught = of_courses(journal, "all", topic, journal.now())
    dues += [one.recall.due for one in taught if one.recall.due and not one.recall.suspended]
    return min(dues, default=None)


def document(held: Held) -> dict[str, Any]:
    """As programs read it."""
    card, known = held.card, held.recall
    return {
        "id": card.id,
        "topic": card.topic,
        "question": card.question,
        "answer": card.answer,
        "state": known.state,
        "due": recall.text_of(known.due),
        "last_review": recall.text_of(known.last_review),
        "reviews": known.reviews,
        "lapses": known.lapses,
        "flagged": known.flagged,
        "suspended": known.suspended,
        "path": card.path,
        "line": card.line,
    }


def topics(journal: "Journal") -> list[Topic]:
    """Each topic that has cards, with how many to ask."""
    recall.sync(journal)
    now, end = journal.now(), recall.end_of_today(journal)
    sums = ", ".join(
        f"sum(coalesce({STATES[state]}, 0))"
        for state in ("due", "new", "learning", "flagged", "suspended")
    )
    rows = journal.index.connection.execute(
        f"SELECT e.topic, count(*), {sums} {FROM} GROUP BY e.topic",
        {"now": recall.text_of(now), "end": recall.text_of(end)},
    )
    found = {topic: Counter(dict(zip(NUMBERS, counts, strict=True))) for topic, *counts in rows}
    for one in of_courses(journal, "all", None, now):
        counted = found.setdefault(one.card.topic, Counter())
        counted["cards"] += 1
        counted.update(state for state in STATES if is_in(one.recall, state, now, end))
    return [
        Topic(name, **{n: counted[n] for n in NUMBERS}) for name, counted in sorted(found.items())
    ]
