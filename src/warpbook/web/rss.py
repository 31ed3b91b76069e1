"""Days as a feed, RSS 2.0: what each day says as HTML, by an id that follows from its date.

Links are whole only where the address of the site is known.
"""

import os
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import warpbook
from warpbook.book.new_file import new_file
from warpbook.core.errors import BadInput
from warpbook.journal.days import days, figures
from warpbook.journal.days.counters import Counter, all_ranks
from warpbook.journal.days.day_document import counted
from warpbook.journal.days.days import Day
from warpbook.journal.days.happenings import midnight
from warpbook.journal.journal import Journal
from warpbook.journal.sharing import post, post_text
from warpbook.web.journal.prose import laid_out
from warpbook.web.markdown import markdown
from warpbook.web.site.still import still

NEWEST = 30
LONGEST = 100_000  # characters of a day
ATOM = "http://www.w3.org/2005/Atom"
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Site:
    """What a feed says of the site it belongs to. `address` is empty where it is not known; then
    `relative` says whether links may be relative to the feed. `places` are the site's files by the
    addresses of the dashboard's pages."""

    title: str
    address: str = ""
    track: str | None = None
    relative: bool = False
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"{self.address}/" if self.address else ""

    def link(self, path: str) -> str:
        return self.base + path if self.address or self.relative else ""


def place(on: date) -> tuple[str, str]:
    """A day's page on the dashboard, and its file in a site."""
    return f"/journal/{on}", f"days/{on}.html"


def checked(address: str | None) -> str:
    """Where a site will be, without a slash at the end; BadInput for what is no such address."""
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fine = False
    if not fine or re.search(r"[\s?#@<>\"'\\]", address) or not address.isprintable():
        raise BadInput(f"--address is where the site will be, such as https://example.org/log, "
                       f"not {address!r}")  # fmt: skip
    return address.rstrip("/")


def feed(journal: Journal, shown: Sequence[Day], site: Site) -> str:
    """`shown` are the newest days first."""
    connection = journal.index.connection
    ElementTree.register_namespace("atom", ATOM)
    root = ElementTree.Element("rss", {"version": "2.0"})
    channel = ElementTree.SubElement(root, "channel")
    add(channel, "title", site.title)
    # A channel must have a link; this one leads nowhere until the address is known.
    add(channel, "link", site.link("index.html") or "about:blank")
    add(channel, "description", f"{site.title}: a journal, day by day")
    add(channel, "generator", f"Warpbook {warpbook.__version__}")
    add(channel, "lastBuildDate", format_datetime(journal.now()))
    if site.address:
        known = {"href": site.link("feed.xml"), "rel": "self", "type": "application/rss+xml"}
        ElementTree.SubElement(channel, f"{{{ATOM}}}link", known)
    ranks, figure_of = all_ranks(connection), figures.each_once(connection)
    for day in shown:
        made = item(channel, day, site, titled(counted(journal, day, ranks), day, site.track))
        add(made, "pubDate", format_datetime(midnight(day.date, journal.now().tzinfo)))
        content = markdown(laid_out(day.body), LONGEST, figure_of, highlight=False)
        places = site.places if site.address else {}
        add(made, "description", str(still(content, places, site.base)))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def item(channel: ElementTree.Element, day: Day, site: Site, title: str) -> ElementTree.Element:
    made = ElementTree.SubElement(channel, "item")
    add(made, "title", title)
    if link := site.link(place(day.date)[1]):
        add(made, "link", link)
    guid = add(made, "guid", f"urn:warpbook:day:{day.date}")
    guid.set("isPermaLink", "false")
    for track in day.tracks:
        add(made, "category", track)
    return made


def titled(counts: Sequence[Counter], day: Day, track: str | None = None) -> str:
    """`Day 21/365 of gpu: Online softmax`."""
    counter = post.counter_of(counts, day, track)
    first = post_text.plain(days.title_of(day.lines())).partition("\n")[0]
    said = post.without_opening(first, counter)
    return f"{post.head(counter)}: {said}" if said else post.head(counter)


def add(parent: ElementTree.Element, name: str, text: str) -> ElementTree.Element:
    made = ElementTree.SubElement(parent, name)
    made.text = FORBIDDEN.sub("", text)
    return made


def write(text: str, target: Path) -> None:
    """A new file, or one that this wrote before, which is the old one or the new one whenever
    somebody looks."""
    if not is_ours(target):
        with new_file(target) as building:
            building.write_text(text, encoding="utf-8")
        return
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    with new_file(beside) as building:
        building.write_text(text, encoding="utf-8")
    os.replace(beside, target)


def is_ours(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return b"<generator>Warpbook " in file.read(100_000)
    except OSError:
        return False
