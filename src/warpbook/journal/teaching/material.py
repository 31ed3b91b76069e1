"""What a topic is taught from: its ladder's course, or steps made of what the book has on it.

A topic without a course is taught from its reading notes, then the days that speak of it, then its
cards. Knows nothing of how far anybody is.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from warpbook.core.errors import NotFound
from warpbook.journal import search
from warpbook.journal.cards import cards, cloze
from warpbook.journal.cards.cards import Card
from warpbook.journal.ids import plain
from warpbook.journal.journal import Journal
from warpbook.journal.teaching import course
from warpbook.journal.teaching.course import Course, Step

AT_ONCE = 6  # cards of one step that has nothing else
MOST_HITS = 12  # days that a search finds
MOST_DAYS = 60  # that are steps of their own, the oldest; the cards of others still are asked
MOST_LISTED = 20
INBOX = "inbox"


@dataclass(frozen=True)
class Topic:
    """`steps` is 0 where there is no course: they are made when it is taught."""

    name: str
    title: str
    steps: int = 0
    has: dict[str, int] = field(default_factory=dict)  # reading, card, day


def topics(journal: Journal) -> list[Topic]:
    """Those with a course first. A track is none by itself: its days are found by their words."""
    counted: dict[str, dict[str, int]] = defaultdict(dict)
    rows = journal.index.connection.execute(
        "SELECT topic, kind, count(*) FROM journal_entries "
        "WHERE kind IN ('reading', 'card', 'day') AND topic NOT IN ('', ?) GROUP BY topic, kind",
        (INBOX,),
    )
    for name, kind, count in rows:
        counted[name][kind] = count
    taught = [
        Topic(one.problem, one.title, len(one.steps), counted.pop(one.problem, {}))
        for one in course.all_courses()
    ]
    others = sorted((name, has) for name, has in counted.items() if has.keys() != {"day"})
    return taught + [Topic(name, name, 0, has) for name, has in others]


def course_on(journal: Journal, asked: str) -> Course:
    """NotFound where there is neither a course nor anything in the book."""
    wanted = plain(asked).removeprefix("kernel:")
    name = wanted.replace(" ", "_").replace("-", "_")
    if name in course.names():
        return course.load(name)
    for topic in (*known(journal, wanted), asked.strip()):
        steps = made_steps(journal, topic)
        if steps:
            about = "what this book has on it"
            return Course(topic, topic, about, tuple(steps))
    names = ", ".join(topic.name for topic in topics(journal))
    raise NotFound(f"there is nothing on {asked!r} to teach from; the topics there are: {names}")


def known(journal: Journal, wanted: str) -> list[str]:
    """Topics that differ from it in case, spaces and dashes alone."""
    alike = wanted.replace("_", "-").replace(" ", "-")
    return [one.name for one in topics(journal) if plain(one.name).replace("_", "-") == alike]


def made_steps(journal: Journal, topic: str) -> list[Step]:
    entries = journal.index.entries("card", topic=topic, order="path")
    found = {entry.key: cards.card_of(entry) for entry in entries}
    by_path: dict[str, list[Card]] = defaultdict(list)
    for card in found.values():
        by_path[card.path].append(card)
    steps = [
        *of_reading(journal, topic, by_path),
        *of_days(journal, topic, by_path),
        *of_cards([card for path in sorted(by_path) for card in by_path[path]]),
    ]
    steps = steps or [*of_titles(journal, topic)]
    return [replace(step, number=number) for number, step in enumerate(steps, 1)]


def of_reading(journal: Journal, topic: str, by_path: dict[str, list[Card]]) -> Iterator[Step]:
    """Items with notes or cards; takes their cards out of `by_path`."""
    for item in journal.index.entries("reading", topic=topic, order="path"):
        first, last = item.line, int(item.document["last"])
        mine = [card for card in by_path.get(item.path, []) if first <= card.line <= last]
        text = prose(str(item.document["notes"]))
        if not text and not mine:
            continue
        by_path[item.path] = [card for card in by_path.get(item.path, []) if card not in mine]
        address = str(item.document["address"])
        words = "\n\n".join(filter(None, (text or listed(mine), address)))
        yield Step(0, item.title, words, tuple(mine), f"reading:{item.key}")


def of_days(journal: Journal, topic: str, by_path: dict[str, list[Card]]) -> Iterator[Step]:
    """Days with cards on the topic, and those that a search finds."""
    dates = {date for path, found in by_path.items() if found and (date := date_in(path))}
    words = topic.replace("_", " ")
    if any(map(str.isalnum, words)):
        dates |= {hit.key for hit in search.find(journal, words, ("day",), MOST_HITS)}
    for date in sorted(dates)[:MOST_DAYS]:
        day = journal.index.one("day", date)
        if day is None:
            continue
        mine = by_path.pop(day.path, [])
        text = prose(day.body)
        if text or mine:
            yield Step(0, f"{date}: {day.title}", text or listed(mine), tuple(mine), f"day:{date}")


def date_in(path: str) -> str:
    """That of a day's file; empty for any other."""
    folder, _, name = path.partition("/")
    return name.removesuffix(".md") if folder == "journal" else ""


def of_cards(found: list[Card]) -> Iterator[Step]:
    for at in range(0, len(found), AT_ONCE):
        mine = found[at : at + AT_ONCE]
        title = " ".join(mine[0].question.split())[:80]
        yield Step(0, title, listed(mine), tuple(mine), f"card:{mine[0].id}")


def of_titles(journal: Journal, topic: str) -> Iterator[Step]:
    """Where nothing was noted yet: what there is to read."""
    items = journal.index.entries("reading", topic=topic, order="path", limit=MOST_LISTED)
    lines = [f"- {one.title}  {one.document['address']}".rstrip() for one in items]
    if lines:
        yield Step(0, "What there is to read", "\n".join(lines), (), f"topic:{topic}")


def prose(text: str) -> str:
    """A text without the cards in it: from a question to the end of its paragraph. Clozes are shown
    whole."""
    kept: list[str] = []
    inside = False
    for _, line, fenced in course.fences([(0, line) for line in text.split("\n")]):
        if not fenced and cards.QUESTION.fullmatch(line):
            inside = True
        elif not fenced and (not line.strip() or line.startswith("#")):
            inside = False
        if cards.COMMENT.search(line) and not fenced:
            inside = False
        elif not inside:
            kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", cloze.shown("\n".join(kept))).strip()


def listed(found: list[Card]) -> str:
    """Cards to be read before they are asked."""
    return "\n\n".join(f"{card.question}\n{card.answer}" for card in found)
