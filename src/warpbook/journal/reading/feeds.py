"""Feeds: the list of them in reading/feeds.toml, and what a pull of them brings to the inbox.

What was seen once stays seen, in reading/seen.jsonl, so that what was dropped does not come back.
"""

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.journal import Journal
from warpbook.journal.reading import pulls
from warpbook.journal.reading.addresses import canonical, linkable
from warpbook.journal.reading.feed_fetch import Fetched, FetchFailed, Limits, fetch, in_threads
from warpbook.journal.reading.feed_items import Channel, FeedItem, NoFeed, parse
from warpbook.journal.reading.reading import INBOX, Item
from warpbook.journal.reading.reading_text import one_line
from warpbook.journal.reading.shelf import GENERAL, New, add_all, topic_name
from warpbook.journal.texts import textfile

FEEDS = "reading/feeds.toml"
SEEN = "reading/seen.jsonl"
MOST_ITEMS = 500  # that one pull takes from a feed
GUIDS_A_LINE = 10_000
HEADER = re.compile(r"\s*\[\[\s*feed\s*\]\]\s*(?:#.*)?")
TABLE = re.compile(r"\s*\[")


@dataclass(frozen=True)
class Feed:
    """`topic` is where what is kept of it goes."""

    url: str
    topic: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        return self.title or self.url


@dataclass(frozen=True)
class Pulled:
    """What came of one feed. `failed` says why not all of it; `new` is how many are in the inbox
    now, `known` how many of those never seen before are on the shelf already."""

    feed: Feed
    new: int = 0
    known: int = 0
    failed: str = ""
    note: str = ""


@dataclass
class Seen:
    """What is known of one feed: its guids, and what to ask with whether it changed."""

    guids: set[str] = field(default_factory=set)
    etag: str = ""
    modified: str = ""
    at: str = ""


@dataclass
class Got:
    """One feed on its way: what was fetched, and what of it is new."""

    feed: Feed
    fetched: Fetched | None = None
    failed: str = ""
    channel: Channel | None = None
    items: list[FeedItem] = field(default_factory=list)
    left_out: list[FeedItem] = field(default_factory=list)


def read(journal: Journal) -> list[Feed]:
    path = journal.path(FEEDS)
    if not path.exists():
        return []
    return parsed(textfile.read(path).content, str(path))


def parsed(text: str, path: str) -> list[Feed]:
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = found[1] if found else text.count("\n") + 1
        raise BadInput(f"{path}:{line}: not TOML: {error}") from None
    entries = given.get("feed", [])
    if not isinstance(entries, list):
        raise BadInput(f"{path}:1: a feed begins with a line [[feed]]")
    return [feed_of(entry, number, path) for number, entry in enumerate(entries, 1)]


def feed_of(entry: Any, number: int, path: str) -> Feed:
    values = {name: entry.get(name, "") for name in ("url", "topic", "title")}
    for name, value in values.items():
        if not isinstance(value, str) or (name == "url" and not value.strip()):
            raise BadInput(f"{path}: feed {number}: {name} is a text in quotes")
    return Feed(values["url"].strip(), values["topic"], one_line(values["title"]))


def add(
    journal: Journal,
    url: str,
    topic: str = "",
    title: str = "",
    unchecked: bool = False,
    limits: Limits | None = None,
) -> tuple[Feed, int]:
    """The feed, and how many items it has now; it is fetched once to see that it is one."""
    url = one_line(url)
    if not linkable(url):
        raise BadInput(f"{url!r} is no address of a feed: it begins with http:// or https://")
    name = topic_name(topic) if topic else ""
    require_new(read(journal), url)
    found = Channel("", []) if unchecked else checked(url, limits or Limits())
    feed = Feed(url, name, one_line(title) or found.title)
    journal.edit(FEEDS, lambda text: with_feed(text, feed))
    return feed, len(found.items)


def checked(url: str, limits: Limits) -> Channel:
    (one,) = fetched([Feed(url)], {}, limits)
    look_into(one, Seen())
    if one.channel is None:
        raise BadInput(f"{url}: {one.failed}; nothing was added (--unchecked adds it all the same)")
    return one.channel


def require_new(feeds: Iterable[Feed], url: str) -> None:
    form = canonical(url)
    if any(canonical(feed.url) == form for feed in feeds):
        raise Taken(f"{url}: this feed is there already: warpbook feed list")


def with_feed(text: str, feed: Feed) -> str:
    require_new(parsed(text, FEEDS), feed.url)
    pairs = (("url", feed.url), ("topic", feed.topic), ("title", feed.title))
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in pairs if value]
    gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + "\n".join(["[[feed]]", *lines, ""])


def find(feeds: list[Feed], wanted: str) -> Feed:
    """By its address, or words of its title or address."""
    form, words = canonical(wanted), wanted.lower().split()
    exact = [feed for feed in feeds if feed.url == wanted or canonical(feed.url) == form]
    fits = exact or [
        feed
        for feed in feeds
        if words and all(word in f"{feed.title} {feed.url}".lower() for word in words)
    ]
    if not fits:
        raise NotFound(f"no feed is called {wanted!r}: warpbook feed list")
    if len(fits) > 1:
        raise BadInput(f"{wanted!r} fits {len(fits)} feeds: {', '.join(one.url for one in fits)}")
    return fits[0]


def drop(journal: Journal, wanted: str) -> Feed:
    """Out of the list; what it brought stays."""
    feed = find(read(journal), wanted)
    journal.edit(FEEDS, lambda text: without(text, feed))
    return feed


def without(text: str, feed: Feed) -> str:
    """The lines of that one feed taken out; comments above the next stay with it."""
    lines = text.split("\n")
    feeds = parsed(text, FEEDS)
    starts = [at for at, line in enumerate(lines) if HEADER.fullmatch(line)]
    if feed not in feeds or len(starts) != len(feeds):
        raise BadInput(f"{FEEDS}: this feed cannot be taken out by itself; edit the file")
    start = starts[feeds.index(feed)]
    tables = [at for at in range(start + 1, len(lines)) if TABLE.match(lines[at])]
    end = min(tables, default=len(lines))
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    while end < len(lines) - 1 and not lines[end].strip():
        end += 1
    left = "\n".join([*lines[:start], *lines[end:]])
    if parsed(left, FEEDS) != [one for one in feeds if one != feed]:
        raise BadInput(f"{FEEDS}: this feed cannot be taken out by itself; edit the file")
    return left


def topic_of(journal: Journal, url: str) -> str:
    """Where what is kept of a feed goes; empty where nothing is said."""
    return next((feed.topic for feed in read(journal) if feed.url == url), "")


def home(journal: Journal, item: Item) -> str:
    """Where an item of the inbox goes if nobody says."""
    return topic_of(journal, item.feed) or GENERAL


def seen(journal: Journal) -> dict[str, Seen]:
    """By feed, folded from the lines; one that is no such line counts for nothing."""
    found: dict[str, Seen] = {}
    try:
        lines = journal.path(SEEN).read_text(encoding="utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return found
    for line in lines:
        try:
            said = json.loads(line)
            one = found.setdefault(said["feed"], Seen())
            one.guids.update(said.get("guids", []))
            one.etag, one.modified = said.get("etag", ""), said.get("modified", "")
            one.at = said.get("at", "")
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def pull(journal: Journal, limits: Limits | None = None) -> tuple[list[Pulled], list[Item]]:
    """Of every feed what became of it; and the items that are new in the inbox. They are written
    before their guids are: cut off between the two, they are found on the shelf next time."""
    before = seen(journal)
    arrived = fetched(read(journal), before, limits or Limits())
    for one in arrived:
        look_into(one, before.get(one.feed.url, Seen()))
    news = [(one, new_of(one.feed, item)) for one in arrived for item in one.items]
    added = add_all(journal, [new for _, new in news])
    known = {id(new) for new, _ in added.known}
    for one in arrived:
        remember(journal, one, before.get(one.feed.url, Seen()))
    results = [result(one, [new for owner, new in news if owner is one], known) for one in arrived]
    pulls.record(journal, results)
    return results, added.items


def fetched(feeds: list[Feed], before: dict[str, Seen], limits: Limits) -> list[Got]:
    def got(feed: Feed) -> Got:
        known = before.get(feed.url, Seen())
        try:
            return Got(feed, fetch(feed.url, limits, known.etag, known.modified))
        except FetchFailed as error:
            return Got(feed, failed=str(error))

    patience_s = 2 * limits.timeout_s
    late = f"no whole answer within {patience_s:g} s"
    return in_threads(got, feeds, patience_s, lambda feed: Got(feed, failed=late))


def look_into(one: Got, before: Seen) -> None:
    """Finds what was not seen before in what was fetched."""
    if one.fetched is None or one.fetched.data is None:
        return
    try:
        one.channel = parse(one.fetched.data, one.fetched.address, one.fetched.content_type)
    except NoFeed as error:
        one.failed = str(error)
        return
    one.failed = one.channel.malformed
    fresh = {item.guid: item for item in one.channel.items if item.guid not in before.guids}
    one.items, one.left_out = list(fresh.values())[:MOST_ITEMS], list(fresh.values())[MOST_ITEMS:]


def new_of(feed: Feed, item: FeedItem) -> New:
    return New(
        title=item.title,
        address=item.address,
        topic=INBOX,
        state=INBOX,
        feed=feed.url,
        published=item.published,
    )


def remember(journal: Journal, one: Got, before: Seen) -> None:
    """A malformed feed is asked for again next time, whether it changed or not."""
    if one.channel is None or one.fetched is None:
        return
    etag, modified = ("", "") if one.failed else (one.fetched.etag, one.fetched.modified)
    guids = [item.guid for item in (*one.items, *one.left_out)]
    if not guids and (etag, modified) == (before.etag, before.modified):
        return
    at = journal.now().isoformat(timespec="seconds")
    for start in range(0, max(len(guids), 1), GUIDS_A_LINE):
        some = guids[start : start + GUIDS_A_LINE]
        line = {"feed": one.feed.url, "at": at, "etag": etag, "modified": modified, "guids": some}
        textfile.append_line(journal.path(SEEN), json.dumps(line, ensure_ascii=False))


def result(one: Got, news: list[New], known: set[int]) -> Pulled:
    doubles = sum(id(new) in known for new in news)
    left = len(one.left_out)
    note = f"{left} older ones were left out" if left else ""
    return Pulled(one.feed, len(news) - doubles, doubles, one.failed, note)
