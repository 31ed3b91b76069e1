"""A whole site as files: its pages, its feed and its style, with nothing in it that must stay.

Knows nothing of the folder it goes to.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from warpbook.book.book import Book
from warpbook.book.exchange.export import refuse_keys
from warpbook.book.exchange.secrets import scan
from warpbook.journal.journal import Journal
from warpbook.web import rss
from warpbook.web.site import days, frame, ladders, leaving, months, reading
from warpbook.web.site.contents import Asked, Contents, gather, month_file, slug, topic_file
from warpbook.web.site.frame import Around, Page


@dataclass(frozen=True)
class Made:
    """`files` by their paths; `private` counts the days that were left out."""

    files: dict[str, str]
    days: int
    private: int
    reading: int
    ladders: int


def site(
    book: Book,
    journal: Journal,
    asked: Asked,
    allow_keys: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> Made:
    """BadInput says where the keys are, if there are any."""
    found = gather(book, journal, asked)
    hidden = leaving.roots(book.folder)
    places = {**found.places, **own_places(found)}
    around = Around(asked.title, journal.today(), places)
    files = {}
    for page in pages(found):
        progress(page.path)
        files[page.path] = bare(page, around, hidden)
    newest = found.days[::-1][: rss.NEWEST]
    about = rss.Site(asked.title, asked.address, asked.track, relative=True, places=places)
    files[frame.FEED] = leaving.without(rss.feed(journal, newest, about), hidden)
    if not allow_keys:
        # What people wrote as they wrote it; the rest as it would be seen.
        keys = scan(found.texts()) or scan(files.items())
        if keys:
            refuse_keys(keys)
    files[frame.STYLE] = frame.style()
    count = sum(map(len, found.topics.values()))
    return Made(files, len(found.days), found.private, count, len(found.ladders))


def bare(page: Page, around: Around, hidden: Sequence[tuple[str, str]]) -> str:
    made = leaving.without(frame.whole(page, around), hidden)
    return leaving.without_any(made) if page.by_machine else made


def pages(found: Contents) -> Iterator[Page]:
    yield days.front(found)
    yield from days.pages(found)
    yield from months.pages(found)
    yield from reading.pages(found)
    yield from ladders.pages(found)


def own_places(found: Contents) -> dict[str, str]:
    """Of pages that only a site has."""
    made = {"/months": "months.html"}
    made |= {f"/months/{first:%Y-%m}": month_file(first) for first in found.months}
    return made | {f"/topics/{slug(topic)}": topic_file(topic) for topic in found.topics}
