"""What a site is made of: the days that may leave, the topics, the ladders, and where each of them
will be in it.

Knows nothing of markup.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from warpbook.book.book import Book
from warpbook.book.browse import ladders
from warpbook.journal.days import calendar, figures
from warpbook.journal.days.calendar import Logged
from warpbook.journal.days.counters import all_ranks
from warpbook.journal.days.days import Day
from warpbook.journal.days.figures import Figure
from warpbook.journal.entry import Entry
from warpbook.journal.journal import Journal
from warpbook.journal.reading import shelf_list
from warpbook.journal.reading.reading import Item
from warpbook.journal.sharing import public
from warpbook.web.rss import place

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")


@dataclass(frozen=True)
class Asked:
    title: str
    track: str | None = None
    since: str = ""
    address: str = ""


@dataclass
class Contents:
    """`days` are the oldest first."""

    book: Book
    journal: Journal
    asked: Asked
    days: Sequence[Day]
    private: int

    @cached_property
    def logged(self) -> list[Logged]:
        mine = {day.date for day in self.days}
        every = calendar.logged(self.journal, self.asked.track)
        return [day for day in every if day.date in mine]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        return {entry.key: entry for entry in self.journal.index.entries("day")}

    @cached_property
    def months(self) -> list[date]:
        """The first of each that has a day, the oldest first."""
        return sorted({day.date.replace(day=1) for day in self.days})

    @cached_property
    def topics(self) -> dict[str, list[Item]]:
        """Without the inbox and what was dropped."""
        found: dict[str, list[Item]] = {}
        for item in shelf_list.listed(self.journal):
            found.setdefault(item.topic, []).append(item)
        return dict(sorted(found.items()))

    @cached_property
    def ladders(self) -> list[ladders.Entry]:
        return ladders.entries(self.book)

    @cached_property
    def places(self) -> dict[str, str]:
        """Files of the site by the addresses of the dashboard's pages."""
        found = {
            "/": "index.html",
            "/journal": "index.html",
            "/reading": "reading.html",
            "/kernels": "ladders.html",
        }
        found |= dict(place(day.date) for day in self.days)
        for topic, items in self.topics.items():
            found |= {f"/reading/{item.id}": f"{topic_file(topic)}#{item.id}" for item in items}
        found |= {one.address: ladder_file(one) for one in self.ladders}
        return found

    @cached_property
    def figure_of(self) -> Callable[[str], Figure]:
        return figures.each_once(self.journal.index.connection)

    @cached_property
    def ranks(self) -> dict[date, dict[str, int]]:
        return all_ranks(self.journal.index.connection)

    def texts(self) -> Iterator[tuple[str, str]]:
        """What people wrote of it, by where it stands: to be looked through for keys."""
        for day in self.days:
            yield day.path, "\n".join([*day.tracks, day.called, day.body])
        for items in self.topics.values():
            for item in items:
                said = (item.title, item.address, item.up_to, item.notes)
                yield f"{item.path}, {item.title[:60]!r}", "\n".join(said)


def gather(book: Book, journal: Journal, asked: Asked) -> Contents:
    chosen = public.newest(journal, asked.track, asked.since)
    return Contents(book, journal, asked, chosen.days[::-1], chosen.private)


def day_file(on: date) -> str:
    return place(on)[1]


def month_file(first: date) -> str:
    return f"months/{first:%Y-%m}.html"


def topic_file(topic: str) -> str:
    return f"reading/{slug(topic)}.html"


def ladder_file(one: ladders.Entry) -> str:
    return f"ladders/{slug(one.address.removeprefix('/kernels/'))}.html"


def slug(name: str) -> str:
    """A name that is one file on any disk and needs no escape in a link."""
    if PLAIN.fullmatch(name) and name == name.lower():
        return name
    kept = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:40]
    return f"{kept or 'topic'}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"
