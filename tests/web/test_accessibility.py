"""Every page for those who cannot see well, use no mouse, or have a phone: axe in both themes, the
Tab key, and a narrow screen. And that none asks anything of another machine, or needs what its
policy forbids."""

from importlib.resources import files

import pytest
from busy_book import PAGES, fill
from tab import Tab

pytestmark = pytest.mark.browser
AXE = files("axe_playwright_python") / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
# What can be pressed, filled in or explained, and is on the screen: not in a closed dialog. Charts
# and their marks are left out: they are described as pictures, or stand beside their table. A year
# of days is one stop, from which arrows lead on (test_journal.py).
ACTIONS = """[...document.querySelectorAll(
    "a[href]:not(.year svg a[tabindex='-1']), button, input, select, textarea, summary, " +
    ":not(svg *):not(:has(svg))[data-tip]")]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.disabled)"""
# Keeps what the Tab key reaches, and whether one sees where one is.
WATCH = """() => {
  window.reached = new Set();
  window.unseen = [];
  window.around = false;
  document.activeElement.blur();
  addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    const seen = style.outlineStyle != "none" && parseFloat(style.outlineWidth) > 0;
    if (!seen) unseen.push(target.outerHTML.slice(0, 200));
    around ||= reached.has(target);
    reached.add(target);
  });
}"""
LEFT = f"{ACTIONS}.filter((one) => !reached.has(one)).map((one) => one.outerHTML.slice(0, 200))"
MOST_STEPS, AT_ONCE = 400, 10


@pytest.fixture(scope="module")
def tab(browser, served):
    """One tab for all pages."""
    opened = Tab(browser, served, viewport=DESK)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def known(served):
    return fill(served.desk)


@pytest.fixture(scope="module", params=PAGES)
def page(request, tab, known):
    """A page that has something on it; the tests of one page follow each other."""
    page = tab.page
    tab.trouble.clear()
    page.set_viewport_size(DESK)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    answer = page.goto(PAGES[request.param].format(**known))
    assert answer.status == 200
    page.wait_for_selector("main h1")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page


def violations(page, rules):
    ask = "(rules) => axe.run({runOnly: rules, resultTypes: ['violations']})"
    found = page.evaluate(ask, rules)["violations"]
    return [
        f"{one['id']}: {node['html'][:200]} ({node['any'][0]['message'] if node['any'] else ''})"
        for one in found
        for node in one["nodes"]
    ]


def test_one_title_and_a_language(page):
    assert page.locator("h1").count() == 1
    assert page.locator("h1").inner_text().strip()
    assert page.locator("html").get_attribute("lang") == "en-US"


def test_light(page):
    assert violations(page, RULES) == []


def test_dark(page):
    page.emulate_media(color_scheme="dark")
    assert violations(page, ["color-contrast"]) == []


def test_phone(page):
    page.set_viewport_size(PHONE)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(DESK)
    assert wide <= PHONE["width"]


def test_all_actions_are_reached_by_tab(page):
    page.evaluate(WATCH)
    for _ in range(0, MOST_STEPS, AT_ONCE):
        for _ in range(AT_ONCE):
            page.keyboard.press("Tab")
        if page.evaluate("around"):
            break
    assert page.evaluate("unseen") == []
    assert page.evaluate(LEFT) == []


def test_nothing_goes_wrong_or_leaves_the_machine(page, tab):
    """The last of a page: what was heard of in the tests before it counts as well."""
    assert tab.trouble == []
