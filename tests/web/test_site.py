"""`warpbook export site`: a folder that works from disk, with nothing in it that must stay."""

import json
import os
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import feedparser
import pytest
import site_book
from tab import PATIENCE_MS
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.core.errors import BadInput
from warpbook.web.markup import h
from warpbook.web.site import folder as disk
from warpbook.web.site.leaving import roots, without, without_any
from warpbook.web.site.still import still


class Links(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.ids, self.tags = [], set(), set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "srcset", "action", "data", "poster", "xlink:href"):
                self.found.append((tag, value))
            if name == "id":
                self.ids.add(value)


def export(*words):
    return CliRunner().invoke(app, ["export", *map(str, words)])


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return site_book.make(tmp_path_factory.mktemp("site") / "book")[0]


@pytest.fixture(scope="module")
def written(book):
    target = book.parent / "site"
    ended = export("site", target, "--book", book, "--title", "Ana's <log>", "--json")
    assert ended.exit_code == 0, ended.output
    return target, json.loads(ended.stdout)


@pytest.fixture
def site(written, tmp_path):
    """A copy to change."""
    return shutil.copytree(written[0], tmp_path / "site")


def texts(target):
    return {path: path.read_text() for path in target.rglob("*") if path.is_file()}


def test_it_says_what_is_in_it_and_what_is_left_out(written):
    target, said = written
    assert {"days": 4, "private": 1, "reading": 2}.items() <= said.items()
    assert said["files"] == len(texts(target)) - 1  # but for its own mark
    assert not said["updated"]


def test_every_link_leads_to_a_file_of_the_site_or_away(written):
    target, _ = written
    pages = {path: Links(path) for path in target.rglob("*.html")}
    assert len(pages) > 15
    for path, page in pages.items():
        for tag, address in page.found:
            parts = urlsplit(address)
            if parts.scheme in ("http", "https"):
                assert tag == "a", f"{path.name} asks for {address}"
            elif parts.scheme != "data":
                assert not address.startswith("/")
                leads = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                assert leads.is_file(), f"{path.name}: {address}"
                assert leads.is_relative_to(target.resolve())
                if parts.fragment:
                    assert parts.fragment in pages[leads].ids, f"{path.name}: {address}"


def test_what_people_wrote_is_text_and_nothing_is_a_control(written):
    target, _ = written
    for path in target.rglob("*.html"):
        page = Links(path)
        assert not page.tags & {"script", "img", "form", "input", "button", "iframe", "base"}
    day = (target / "days" / "2026-01-02.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in day
    assert "<title>Day 2/365 of gpu (the text says 22) · Ana&#39;s &lt;log&gt;</title>" in day


def test_nothing_leaves_that_is_private_or_of_the_machine(written, book):
    target, _ = written
    everything = "\n".join(texts(target).values())
    for kept in (site_book.SECRET, "777", "an original that stays", str(book), "/opt/somewhere"):
        assert kept not in everything
    assert os.path.expanduser("~") + "/" not in everything
    assert not (target / "days" / "2026-01-03.html").exists()
    assert "in book/kernels/x.cu" in everything


def test_a_day_has_its_counts_its_figures_and_its_neighbours(written):
    target, _ = written
    day = (target / "days" / "2026-01-02.html").read_text()
    assert "<b>Day 2</b> of gpu, 2/365" in day
    assert "the text says Day 22/365" in day
    assert 'rel="prev" href="../days/2025-12-30.html"' in day
    assert 'rel="next" href="../days/2026-01-04.html"' in day
    assert "unverified" in day
    latest = max((target / "days").iterdir()).read_text()
    assert "1.30x (1.27x-1.33x), 3 runs" in latest
    assert 'href="../reading/memory.html#k3f9a2bc"' in latest
    assert 'href="../ladders/softmax.html"' in latest


def test_months_reading_and_ladders(written):
    target, _ = written
    months = (target / "months.html").read_text()
    assert '<a href="months/2026-01.html">January 2026</a>' in months
    assert "<title>January 2026: 90 min</title>" in months
    assert (target / "months" / "2026-01.html").read_text().count("<rect") == 1
    reading = (target / "reading" / "memory.html").read_text()
    assert "Tiles help:" in reading
    assert 'href="https://example.org/tiles"' in reading
    assert "Odd &lt;b&gt;one&lt;/b&gt;" in reading
    softmax = (target / "ladders" / "softmax.html").read_text()
    assert "Measured in this book" in softmax
    assert "Shipped with Warpbook" in softmax
    assert "<b>online</b>" in softmax
    assert "ago<" not in softmax


def test_the_feed_of_a_site_leads_to_its_days(written):
    target, _ = written
    found = feedparser.parse((target / "feed.xml").read_bytes())
    assert not found.bozo
    assert [entry.link for entry in found.entries][-1] == "days/2025-12-30.html"
    ElementTree.parse(target / "feed.xml")


def test_it_opens_from_disk_and_asks_for_nothing_else(written, browser):
    target, _ = written
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    asked, trouble = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto((target / "index.html").as_uri())
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(247, 247, 245)"  # its style was loaded
    page.click("main li a >> text=2026-01-02")
    page.click("text=2026-01-04 ›")
    page.wait_for_url("**/days/2026-01-04.html")
    assert page.locator("h1").inner_text() == "Sunday 4 January 2026"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 21, 26)"
    page.close()
    base = target.as_uri()
    assert {url.removeprefix(base) for url in asked} == {
        "/index.html", "/style.css", "/days/2026-01-02.html", "/days/2026-01-04.html",
    }  # fmt: skip
    assert not trouble


def test_an_update_takes_away_what_is_gone_and_keeps_what_others_put_there(book, site):
    (site / "CNAME").write_text("example.org")
    (site / ".git" / "refs").mkdir(parents=True)
    (site / ".git" / "HEAD").write_text("ref")
    (site / "days" / "mine.html").symlink_to("2026-01-02.html")
    ended = export("site", site, "--book", book, "--since", "2026-01-01", "--track", "gpu")
    assert ended.exit_code == 0, ended.output
    assert f"{site}: updated, " in ended.stdout
    assert not (site / "days" / "2025-12-30.html").exists()
    assert not (site / "months" / "2025-12.html").exists()
    assert (site / "CNAME").read_text() == "example.org"
    assert (site / ".git" / "refs").is_dir()
    assert (site / ".git" / "HEAD").is_file()
    assert (site / "days" / "mine.html").is_symlink()
    assert [path.name for path in site.parent.iterdir()] == ["site"]


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_is_no_site_stays_as_it_is(book, tmp_path, what):
    target = tmp_path / "mine"
    if what == "folder":
        target.mkdir()
        (target / "kept.txt").write_text("mine")
    else:
        target.write_text("mine")
    ended = export("site", target, "--book", book)
    assert ended.exit_code == 2
    assert "give a folder that is new" in ended.stderr
    assert [path.read_text() for path in tmp_path.rglob("*") if path.is_file()] == ["mine"]


def test_a_file_of_somebody_elses_is_never_written_over(site):
    (site / "new.html").write_text("mine")
    with pytest.raises(BadInput, match=r"new\.html is not of the site"):
        disk.write(site, {"index.html": "x", "new.html": "y"})
    assert (site / "new.html").read_text() == "mine"
    assert (site / "months.html").is_file()


def test_a_key_does_not_leave_unless_it_may(book, tmp_path):
    mine = shutil.copytree(book, tmp_path / "book")
    key = "sk-" + "proj-" + "Zx9Qw3Er5Ty7Ui1Op2As4Df6Gh8Jk0Lz"
    (mine / "journal" / "2026-01-05.md").write_text(f"fine\n\n`{key}`\n")
    ended = export("site", tmp_path / "site", "--book", mine)
    assert ended.exit_code == 2
    assert "journal/2026-01-05.md, line " in ended.stderr
    assert key not in ended.stderr
    assert not (tmp_path / "site").exists()
    assert export("rss", tmp_path / "a.xml", "--book", mine).exit_code == 2
    assert export("post", "2026-01-05", "--book", mine).exit_code == 2
    allowed = export("post", "2026-01-05", "--book", mine, "--allow-keys")
    assert key in allowed.stdout


WRITER = """
import sys
from pathlib import Path
from warpbook.web.site.folder import write

at = 0
while True:
    at += 1
    write(Path(sys.argv[1]), {f"{n % 7}/{n}.html": str(at) for n in range(60)})
    print(at, flush=True)
"""


def test_killed_at_any_moment_the_old_one_or_the_new_one_is_there(tmp_path):
    target = tmp_path / "site"
    for pause in (0.0, 0.011, 0.023, 0.04):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, text=True
        )
        writer.stdout.readline()
        time.sleep(pause)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        pages = [path.read_text() for path in target.rglob("*.html")]
        assert len(pages) == 60
        assert len(set(pages)) == 1
    disk.write(target, {"index.html": "x"})
    assert [path.name for path in tmp_path.iterdir()] == ["site"]  # nor is anything left beside it


def test_a_disk_that_cannot_swap_folders(tmp_path, monkeypatch):
    target = tmp_path / "site"
    monkeypatch.setattr(disk, "swapped", lambda one, other: False)
    disk.write(target, {"index.html": "1"})
    assert disk.write(target, {"index.html": "2"})
    assert (target / "index.html").read_text() == "2"
    target.rename(tmp_path / ".site.12345678.old")  # killed between the two steps
    assert disk.write(target, {"index.html": "3"})
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


PLACES = {"/journal/2026-01-04": "days/2026-01-04.html"}


def test_links_tips_and_times_of_pages_hold_still():
    made = still(
        h(
            '<a href="/journal/2026-01-04?x=1" tabindex="0">day</a><a href="/graph">graph</a>'
            '<b data-tip="a &quot;tip&quot;" tabindex="0">b</b><time datetime="2026-01-04T10:00" '
            'data-tip="then">3 d ago</time><svg><circle data-tip="dot"/></svg><i id="kept">!</i>'
        ),
        PLACES,
        "../",
    )
    assert made == (
        '<a tabindex="0" href="../days/2026-01-04.html">day</a><span>graph</span>'
        '<b title="a &#34;tip&#34;">b</b><time datetime="2026-01-04T10:00" title="then">2026-01-04'
        '</time><svg><circle><title>dot</title></circle></svg><i id="kept">!</i>'
    )


def test_paths_of_the_machine_are_shortened(tmp_path):
    folder = tmp_path / "my book"
    hidden = roots(folder)
    assert without(f"in {folder}/x and file://{folder}/y, {folder}s", hidden) == (
        f"in my book/x and file://my book/y, {folder}s"
    )
    assert without_any(
        '</b><a href="../a/b">1/2</a> File "/opt/some/where.py", https://x.org/a'
    ) == ('</b><a href="../a/b">1/2</a> File "where.py", https://x.org/a')
