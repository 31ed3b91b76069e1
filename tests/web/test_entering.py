"""A browser comes in by a link, wherever the link was."""

import pytest
from tab import PATIENCE_MS

from warpbook.cli.book.link import fresh_link

pytestmark = pytest.mark.browser
NOW = "main h1 >> text=Now"


@pytest.fixture
def stranger(browser):
    """A tab that is not signed in."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def test_a_link_that_is_typed(stranger, served):
    stranger.goto(fresh_link(served.folder))
    stranger.wait_for_selector(NOW)
    assert stranger.url == f"{served.address}/"
    assert stranger.evaluate("document.referrer") == ""


def test_a_link_in_a_file_or_on_another_page(stranger, served, tmp_path):
    """As `warpbook up --open` has it."""
    link = fresh_link(served.folder)
    file = tmp_path / "enter.html"
    file.write_text(f'<meta http-equiv="refresh" content="0; url={link}">')
    stranger.goto(file.as_uri())
    stranger.wait_for_selector(NOW)
    assert stranger.url == f"{served.address}/"


def test_a_link_that_was_used_says_how_to_get_another(stranger, served):
    link = fresh_link(served.folder)
    stranger.goto(link)
    stranger.wait_for_selector(NOW)
    stranger.context.clear_cookies()
    assert stranger.goto(link).status == 403
    assert "warpbook link" in stranger.inner_text("body")
