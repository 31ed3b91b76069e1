"""`warpbook export rss`: a feed that any reader takes, whatever the days say."""

import json
from datetime import date, datetime, timedelta
from xml.etree import ElementTree

import feedparser
import pytest
from typer.testing import CliRunner

from warpbook.book.book import Book
from warpbook.cli.main import app
from warpbook.core.errors import BadInput
from warpbook.journal.days import days
from warpbook.journal.journal import Journal
from warpbook.web.rss import Site, checked, feed, place

FORBIDDEN = "\x00\x0b\ufffe\uffff"
HOSTILE = f"]]> <script>alert(1)</script> &amp; {FORBIDDEN} \x1b[31m 👩‍💻 </description>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A book of 60 days, of which one is private, and an hour past noon on the last."""
    folder = tmp_path_factory.mktemp("rss") / "book"
    Book.create(folder, author="ana").close()
    (folder / "journal").mkdir(exist_ok=True)
    for number in range(60):
        on = date(2026, 1, 1) + timedelta(days=number)
        (folder / "journal" / f"{on}.md").write_text(f"# Tiles {number}\n\nthe *tiles* {number}\n")
    last = folder / "journal" / "2026-03-01.md"
    last.write_text(f"{HOSTILE}\n\nsee [it](/journal/2026-02-27), [x](https://example.org)\n")
    (folder / "journal" / "2026-02-28.md").write_text("---\nprivate: true\n---\nhidden words\n")
    return folder


@pytest.fixture
def journal(folder):
    at = datetime(2026, 3, 1, 13).astimezone()
    with Journal.open(folder, now=lambda: at) as opened:
        opened.index.refresh()
        yield opened


def export(*words):
    return CliRunner().invoke(app, ["export", "rss", *map(str, words)])


def test_the_newest_thirty_days_are_in_it(folder, tmp_path):
    target = tmp_path / "feed.xml"
    ended = export(target, "--book", folder, "--title", "Ana & <co>", "--json")
    assert ended.exit_code == 0, ended.output
    said = json.loads(ended.stdout)
    assert (said["days"], said["private"]) == (30, 1)
    found = feedparser.parse(target.read_bytes())
    assert not found.bozo
    assert found.version == "rss20"
    assert found.feed.title == "Ana & <co>"
    assert len(found.entries) == 30
    second = found.entries[1]
    assert second.title == "Day 58 of journal: Tiles 57"
    assert second.id == "urn:warpbook:day:2026-02-27"
    assert second.guidislink is False
    assert datetime(*second.published_parsed[:6]).date() in (date(2026, 2, 27), date(2026, 2, 26))
    assert "<em>tiles</em> 57" in second.description
    assert not any("link" in entry for entry in found.entries)
    assert "hidden words" not in target.read_text()


def test_code_is_plain_since_a_reader_has_no_style_for_it(journal):
    path, text = "journal/2026-03-01.md", "```python\nx = '<b>'\n```\n"
    day = days.parse(path, text, journal.settings, date(2026, 3, 1))
    root = ElementTree.fromstring(feed(journal, [day], Site("t")))
    description = root.findtext("channel/item/description")
    assert "<pre><code>x = &#39;&lt;b&gt;&#39;\n</code></pre>" in description


def test_what_xml_forbids_is_taken_out_and_all_else_is_text(journal):
    made = feed(journal, [days.get(journal, date(2026, 3, 1))], Site("\x00title"))
    root = ElementTree.fromstring(made)
    description = root.findtext("channel/item/description")
    assert not set(FORBIDDEN) & set(made)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in description
    assert "👩" in description
    assert "<span>it</span>" in description  # there is no address to lead to
    assert not feedparser.parse(made).bozo


def test_with_an_address_links_are_whole(journal):
    shown = [days.get(journal, date(2026, 3, 1)), days.get(journal, date(2026, 2, 27))]
    places = dict(place(day.date) for day in shown)
    made = feed(journal, shown, Site("log", "https://example.org/log", places=places))
    root = ElementTree.fromstring(made)
    assert root.findtext("channel/item/link") == "https://example.org/log/days/2026-03-01.html"
    assert 'href="https://example.org/log/days/2026-02-27.html"' in root.findtext(
        "channel/item/description"
    )
    assert feedparser.parse(made).feed.link == "https://example.org/log/index.html"


def test_the_same_days_have_the_same_ids(journal):
    shown = [days.get(journal, date(2026, 2, 27))]
    one, other = (feed(journal, shown, Site(*site)) for site in (("a",), ("b", "https://b.org")))
    assert [entry.id for entry in feedparser.parse(one).entries] == [
        entry.id for entry in feedparser.parse(other).entries
    ]


def test_a_feed_is_updated_and_any_other_file_is_not(folder, tmp_path):
    target, other = tmp_path / "feed.xml", tmp_path / "mine.xml"
    other.write_text("<rss>mine</rss>")
    assert export(target, "--book", folder).exit_code == 0
    assert export(target, "--book", folder, "--since", "2026-02-26").exit_code == 0
    assert len(feedparser.parse(target.read_bytes()).entries) == 3
    ended = export(other, "--book", folder)
    assert ended.exit_code == 2
    assert "is there already" in ended.stderr
    assert other.read_text() == "<rss>mine</rss>"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feed.xml", "mine.xml"]


@pytest.mark.parametrize(
    "address",
    [
        "example.org",
        "ftp://example.org",
        "https://",
        "https://a b",
        "https://u:p@h",
        "http://[",
        "https://h?q",
    ],
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(BadInput, match="--address is where the site will be"):
        checked(address)


def test_an_address_has_no_slash_at_its_end():
    assert checked("https://example.org/log/") == "https://example.org/log"
