"""What is in a feed: RSS or Atom bytes to a title and its items. It opens nothing."""

import hashlib
import html
import io
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from warpbook.journal.reading.addresses import linkable
from warpbook.journal.reading.reading import is_date
from warpbook.journal.reading.reading_text import one_line

MOST_TITLE = 1000  # characters
TAG = re.compile(r"<[^>]*>")


class NoFeed(Exception):
    """Says why in one line."""


@dataclass(frozen=True)
class FeedItem:
    """`guid` is short and stands for what the feed calls it by."""

    guid: str
    title: str
    address: str
    published: str


@dataclass(frozen=True)
class Channel:
    """`malformed` says what is wrong with a feed of which something could be read."""

    title: str
    items: list[FeedItem]
    malformed: str = ""


def parse(data: bytes, address: str, content_type: str = "") -> Channel:
    import feedparser

    headers = {"content-location": address} | (
        {"content-type": content_type} if content_type else {}
    )
    # As a stream: of plain bytes the library asks first whether they are the name of a file.
    try:
        found = feedparser.parse(io.BytesIO(data), response_headers=headers)
    except Exception as error:  # whatever bytes a stranger sends, other feeds go on
        raise NoFeed(f"malformed: {type(error).__name__}") from None
    reason = broken(found)
    if not found.get("version") and not found.entries:
        raise NoFeed(f"malformed: {reason}" if reason and is_xml(data) else "is no feed")
    made = [item_of(entry, address) for entry in found.entries]
    title = cleaned(found.feed, "title")
    return Channel(title, [one for one in made if one.title], reason and f"malformed: {reason}")


def is_xml(data: bytes) -> bool:
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:500].lower()
    return start.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf"))


def broken(found: Any) -> str:
    """What the XML parser stumbled over; another encoding than was said is no such thing."""
    import xml.sax

    failed = found.get("bozo_exception")
    if not found.get("bozo") or not isinstance(failed, xml.sax.SAXException):
        return ""
    line = getattr(failed, "getLineNumber", lambda: None)()
    where = f" in line {line}" if line else ""
    return f"{one_line(failed.getMessage())}{where}"


def item_of(entry: Any, address: str) -> FeedItem:
    link = one_line(str(entry.get("link") or ""))
    try:
        link = urljoin(address, link) if link else ""
    except ValueError:
        link = ""
    link = link if linkable(link) else ""
    title = cleaned(entry, "title") or link
    # Of its own `get` the library makes one of the two out of the other, and warns.
    times = (dict.get(entry, f"{name}_parsed") for name in ("published", "updated"))
    published = next((found for found in map(day, times) if found), "")
    name = str(entry.get("id") or "") or link or f"{title}\0{published}"
    guid = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:16]
    return FeedItem(guid, title, link, published)


def cleaned(entry: Any, name: str) -> str:
    """A text of the feed on one line; tags of HTML are left out."""
    text = str(entry.get(name) or "")
    detail = entry.get(f"{name}_detail") or {}
    if "html" in str(detail.get("type", "")):
        text = html.unescape(TAG.sub("", text))
    line = one_line(text)
    return line if len(line) <= MOST_TITLE else f"{line[: MOST_TITLE - 3]}..."


def day(parsed: Any) -> str:
    """Of a time as the library gives it; empty where there is none."""
    if not parsed:
        return ""
    text = f"{parsed[0]:04}-{parsed[1]:02}-{parsed[2]:02}"
    return text if is_date(text) else ""
