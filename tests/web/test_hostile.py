"""What somebody else wrote is shown as text, on every page and in a report, in a real browser."""

import pytest
from hostile_book import CAMPAIGN, PAGES, fill
from tab import Tab

from warpbook.web.report import report

pytestmark = pytest.mark.browser
LONGEST = 1_000_000  # of a page, in a book with texts of three times that
MADE = """() => [...document.querySelectorAll(
    'main img, iframe, object, embed, main script, main style, main link, main svg[onload],' +
    '[onerror], [onload], [onmouseover], [onclick], base'
)].map((one) => one.outerHTML.slice(0, 200))"""
LEAD = """() => [...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href'))
    .filter((address) => !/^(\\/(?!\\/)|#|\\?|https?:)/.test(address))"""
TO_CAMPAIGNS = """() => [...document.querySelectorAll("main a[href^='/campaigns/']")]
    .map((one) => one.getAttribute('href'))"""
UNSEEN = "() => /[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\u202e]/.test(document.body.textContent)"
POINT = """() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
    for (const one of document.querySelectorAll('[data-tip]'))
        one.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
}"""


@pytest.fixture(scope="module")
def hostile(served):
    fill(served.desk)
    return served


def is_harmless(page):
    page.evaluate(POINT)
    assert page.evaluate("window.hit") is None
    assert page.evaluate(MADE) == []
    assert page.evaluate(LEAD) == []
    assert not page.evaluate(UNSEEN)
    assert page.evaluate("document.documentElement.outerHTML.length") < LONGEST


def test_every_page(browser, hostile):
    """A script or request that the policy stops is an error in the tab, and fails this as well."""
    tab = Tab(browser, hostile)
    ways = set()
    for address in PAGES:
        assert tab.page.goto(address).status == 200, address
        tab.page.wait_for_selector("main h1")
        is_harmless(tab.page)
        ways |= set(tab.page.evaluate(TO_CAMPAIGNS))
    assert len(ways) > 1
    assert {way: tab.page.request.get(way).status for way in ways} == dict.fromkeys(ways, 200)
    tab.close()


def test_a_report(browser, hostile, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(report(hostile.book, CAMPAIGN), encoding="utf-8")
    tab = Tab(browser, hostile)
    asked = []
    tab.context.on("request", lambda request: asked.append(request.url))
    tab.page.goto(file.as_uri())
    is_harmless(tab.page)
    assert tab.page.locator("form, button, input").count() == 0
    tab.context.close()
    assert asked == [file.as_uri()]
    assert [line for line in tab.trouble if "request left" not in line] == []
