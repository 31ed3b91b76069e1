"""A dashboard and a browser, both real. Builders of a book's contents come from tests/book.

Tests that use `page` or `browser` need a Chromium: without one they are skipped, and the end of the
output says so; where WARPBOOK_REQUIRE_BROWSER is set they fail instead.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "book")]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
skipped = []


def chromium():
    return os.environ.get("WARPBOOK_BROWSER") or next(
        filter(None, map(shutil.which, CHROMIUMS)), ""
    )


@pytest.fixture(scope="session")
def browser():
    if not chromium():
        if os.environ.get("WARPBOOK_REQUIRE_BROWSER"):
            pytest.fail("there is no Chromium here, and these tests are required")
        skipped.append(1)
        pytest.skip("no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"], timeout=120_000
        )
        yield found
        found.close()


@pytest.fixture(scope="session")
def new_book(tmp_path_factory):
    """To copy: making the tables takes longer."""
    from warpbook.book.book import Book

    folder = tmp_path_factory.mktemp("new") / "book"
    Book.create(folder, author="ana").close()
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """One dashboard for a module's tests, over a book of their own: `served.book`, and builders in
    `served.desk`."""
    from book_desk import Desk
    from forked import Forked

    from warpbook.book.book import Book

    book = Book.create(tmp_path_factory.mktemp("dashboard") / "book", author="ana")
    dashboard = Forked(book.folder)
    dashboard.book, dashboard.desk = book, Desk(book)
    yield dashboard
    dashboard.close()
    book.close()


@pytest.fixture(scope="module")
def context(browser, served):
    """A signed-in browser that loads what all pages share once for a module's tests."""
    from tab import signed_in

    made = signed_in(browser, served)
    yield made
    made.close()


@pytest.fixture
def page(browser, served, context):
    """A signed-in browser tab. The test fails if anything leaves this machine, or goes wrong in the
    page: `page.goto("/")`."""
    from tab import Tab

    watched = Tab(browser, served, context=context)
    yield watched.page
    watched.close()


@pytest.fixture
def tabs(browser, served):
    """Several browsers: `tabs()` opens one more, in a context of its own."""
    from tab import Tab

    opened = []

    def another(**options):
        opened.append(Tab(browser, served, **options))
        return opened[-1].page

    yield another
    for tab in opened:
        tab.close()


def pytest_terminal_summary(terminalreporter):
    if skipped:
        terminalreporter.write_line("no Chromium here: the browser tests were skipped", yellow=True)
