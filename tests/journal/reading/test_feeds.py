"""Feeds over a real server: what is new comes once, and one that fails takes nothing with it."""

import pytest
from feed_server import FeedServer, atom, rss

from warpbook.core.errors import BadInput, NotFound, Taken
from warpbook.journal.reading import feeds, shelf
from warpbook.journal.reading.feed_fetch import FetchFailed, Limits, fetch
from warpbook.journal.reading.feed_items import NoFeed, parse
from warpbook.journal.reading.shelf_list import Filter, listed

SMALL = Limits(timeout_s=20, most_bytes=20_000)
QUICK = Limits(timeout_s=0.1)


@pytest.fixture(scope="module")
def running():
    server = FeedServer()
    yield server
    server.close()


@pytest.fixture
def web(running):
    running.pages.clear()
    running.asked.clear()
    return running


def follow(journal, web, *paths):
    for path in paths:
        feeds.add(journal, web.address + path, unchecked=True)


def inbox(journal):
    return [one.title for one in listed(journal, Filter(topic="inbox"))]


def test_new_items_of_rss_and_atom_come_to_the_inbox(journal, web):
    web.pages |= {"/rss": rss("one", "two"), "/atom": atom("three")}
    follow(journal, web, "/rss", "/atom")
    pulled, items = feeds.pull(journal, SMALL)
    assert [(one.new, one.known, one.failed) for one in pulled] == [(2, 0, ""), (1, 0, "")]
    one, _, three = items
    assert (one.title, one.address, one.state) == ("one", "https://blog.example/one", "inbox")
    assert (one.feed, one.added, one.published) == (
        f"{web.address}/rss",
        "2026-01-10",
        "2026-01-04",
    )
    assert three.address == f"{web.address}/papers/three"
    assert inbox(journal) == ["one", "two", "three"]


def test_what_was_seen_does_not_come_back(journal, web):
    web.pages["/rss"] = rss("one", "two")
    follow(journal, web, "/rss")
    feeds.pull(journal, SMALL)
    journal.path("reading", "inbox.md").write_text("")
    journal.index.refresh()
    web.pages["/rss"] = rss("three", "one", "two")
    pulled, items = feeds.pull(journal, SMALL)
    assert (pulled[0].new, [one.title for one in items]) == (1, ["three"])


def test_a_feed_that_did_not_change_is_not_sent_again(journal, web):
    web.pages["/rss"] = rss("one")
    follow(journal, web, "/rss")
    feeds.pull(journal, SMALL)
    size = journal.path("reading", "seen.jsonl").stat().st_size
    pulled, items = feeds.pull(journal, SMALL)
    assert web.asked[1][1]["If-None-Match"]
    assert (pulled[0].new, pulled[0].failed, items) == (0, "", [])
    assert journal.path("reading", "seen.jsonl").stat().st_size == size


def test_what_is_on_the_shelf_is_left_out(journal, web):
    shelf.add(journal, shelf.New("Mine", "http://www.blog.example/one/", "memory"))
    web.pages |= {"/a": rss("one", "two"), "/b": rss(("same", "https://blog.example/two#x"))}
    follow(journal, web, "/a", "/b")
    pulled, _ = feeds.pull(journal, SMALL)
    assert [(one.new, one.known) for one in pulled] == [(1, 1), (0, 1)]
    assert inbox(journal) == ["two"]


FAILING = {
    "/gone": "answered 404",
    "/large": "has more than 0.02 MB",
    "/bomb.gz": "has more than 0.02 MB",
    "/short": "ended before it was whole",
    "/html": "is no feed",
    "/empty": "is no feed",
    "/broken": "malformed: ",
    "/half": "malformed: ",
    "/to/file:///etc/passwd": "leads to file:///etc/passwd, which is not on the web",
    "/to/ftp://127.0.0.1/x": "not on the web",
    "/to//to//to//gone": "answered 404",
}


def test_each_feed_that_fails_is_told_and_the_others_are_kept(journal, web):
    web.pages |= {
        "/rss": rss("one"),
        "/packed.gz": rss("two"),
        "/large": rss(*["x" * 1000] * 30),
        "/bomb.gz": b"<rss>" + b" " * 10_000_000,
        "/short": rss("never"),
        "/html": b"<html><body>Hello</body></html>",
        "/empty": b"",
        "/broken": b'<?xml version="1.0"?><rss><channel',
        "/half": rss("half")[:-20].replace(b"</channel>", b"&nbsp;<b>"),
    }
    follow(journal, web, "/rss", *FAILING, "/to//rss?2", "/packed.gz")
    pulled, items = feeds.pull(journal, SMALL)
    reasons = {one.feed.url.removeprefix(web.address): one.failed for one in pulled}
    for path, words in FAILING.items():
        assert words in reasons[path], path
    assert [reasons[path] for path in ("/rss", "/packed.gz")] == ["", ""]
    assert [one.title for one in items] == ["one", "half", "two"]


def test_a_server_that_is_down_is_told(journal):
    feeds.add(journal, "http://127.0.0.1:9/feed", unchecked=True)
    pulled, _ = feeds.pull(journal, SMALL)
    assert pulled[0].failed.startswith("not reached: ")


@pytest.mark.parametrize(
    "address", ["http://a b/", "http://[", "http://é..x/", "http://127.0.0.1:99999/", "file:///x"]
)
def test_an_address_that_is_none_is_a_reason_and_no_crash(address):
    with pytest.raises(FetchFailed):
        fetch(address, SMALL)


def test_bytes_that_name_a_file_are_not_opened(tmp_path):
    secret = tmp_path / "feed.xml"
    secret.write_bytes(rss("secret"))
    with pytest.raises(NoFeed):
        parse(str(secret).encode(), "https://a.example/")


def test_hostile_items_become_plain_ones():
    channel = parse(
        rss(
            ("&lt;script&gt;x&lt;/script&gt; <b>bold</b> &amp;amp;", "javascript:alert(1)"),
            ("two\nlines &#27;[2J", "https://a.example/x y"),
            ("long " * 1000, "/relative"),
            ("", ""),
        ),
        "https://a.example/feed",
    )
    assert all("\n" not in one.title and "\x1b" not in one.title for one in channel.items)
    assert channel.items[0].address == ""
    assert channel.items[2].address == "https://a.example/relative"
    assert len(channel.items[2].title) == 1000
    assert len(channel.items) == 3


def test_a_feed_of_thousands_fills_the_inbox_only_so_far(journal, web, monkeypatch):
    monkeypatch.setattr(feeds, "MOST_ITEMS", 10)
    web.pages["/rss"] = rss(*(f"i{n}" for n in range(30)))
    follow(journal, web, "/rss")
    pulled, items = feeds.pull(journal, SMALL)
    assert (len(items), pulled[0].note) == (10, "20 older ones were left out")
    web.pages["/rss"] += b"\n"
    assert feeds.pull(journal, SMALL)[1] == []


@pytest.mark.parametrize("path", ["/slow", "/drip"])
def test_a_server_that_never_comes_to_an_end_is_not_waited_for(journal, web, path):
    follow(journal, web, path)
    pulled, _ = feeds.pull(journal, QUICK)
    assert pulled[0].failed.startswith("no whole answer within 0.")


def test_a_feed_is_looked_at_before_it_is_added(journal, web):
    web.pages |= {"/rss": rss("one"), "/html": b"<html></html>"}
    feed, count = feeds.add(journal, f"{web.address}/rss", "GPU news", limits=SMALL)
    assert (feed.topic, feed.title, count) == ("gpu-news", "A blog", 1)
    assert feeds.read(journal) == [feed]
    assert feeds.topic_of(journal, feed.url) == "gpu-news"
    for path, words in (("/gone", "404"), ("/html", "no feed")):
        with pytest.raises(BadInput, match=f"{words}.*--unchecked"):
            feeds.add(journal, web.address + path, limits=SMALL)
    for url in ("file:///etc/passwd", "ftp://a.example/x", "a blog"):
        with pytest.raises(BadInput, match="begins with http"):
            feeds.add(journal, url, unchecked=True)
    with pytest.raises(Taken):
        feeds.add(journal, f"{web.address}/rss#top", limits=SMALL)


def test_a_feed_is_dropped_and_the_rest_of_the_file_stays(journal):
    path = journal.path("reading", "feeds.toml")
    path.parent.mkdir()
    path.write_text(
        '# mine\n[[feed]]\nurl = "https://a.example/"\ntitle = "A \\"quoted\\" one"\n\n'
        '# the second\n[[feed]]\nurl = "https://b.example/" # b\ntopic = "x"\n'
    )
    with pytest.raises(BadInput, match="fits 2 feeds"):
        feeds.drop(journal, "example")
    assert feeds.drop(journal, "quoted").url == "https://a.example/"
    assert path.read_text() == (
        '# mine\n# the second\n[[feed]]\nurl = "https://b.example/" # b\ntopic = "x"\n'
    )
    feeds.drop(journal, "http://b.example")
    assert feeds.read(journal) == []
    with pytest.raises(NotFound):
        feeds.drop(journal, "b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[feed]\n", r"feeds.toml:1: not TOML"),
        ("[[feed]]\nurl = 3\n", "feed 1: url is a text"),
        ("[[feed]]\ntopic = 'x'\n", "feed 1: url is a text"),
        ("feed = 3\n", "begins with a line"),
    ],
)
def test_a_list_of_feeds_that_cannot_be_read_is_told(journal, text, words):
    journal.path("reading").mkdir()
    journal.path("reading", "feeds.toml").write_text(text)
    with pytest.raises(BadInput, match=words):
        feeds.pull(journal)


def test_lines_of_seen_that_are_none_count_for_nothing(journal, web):
    web.pages["/rss"] = rss("one")
    follow(journal, web, "/rss")
    feeds.pull(journal, SMALL)
    path = journal.path("reading", "seen.jsonl")
    path.write_text('[1]\n{"feed": 3}\nnot JSON\n{}\n' + path.read_text())
    assert feeds.pull(journal, SMALL)[1] == []
