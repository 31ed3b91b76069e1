"""Every page for those who cannot see well, use no mouse, or have a phone: axe in both themes, the
Tab key, and a narrow screen."""

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
STEP = """() => {
  const at = document.activeElement, style = getComputedStyle(at);
  const seen = style.outlineStyle != "none" && parseFloat(style.outlineWidth) > 0;
  reached.add(at);
  return at == document.body ? "end" : seen ? "" : at.outerHTML.slice(0, 200);
}"""
LEFT = f"{ACTIONS}.filter((one) => !reached.has(one)).map((one) => one.outerHTML.slice(0, 200))"
MOST_STEPS = 400


@pytest.fixture(scope="module")
def tab(browser, served):
    """One tab for all pages."""
    opened = Tab(browser, served, viewport=DESK)
    yield opened.page
    opened.close()


@pytest.fixture(scope="module")
def known(served):
    return fill(served.desk)


@pytest.fixture(scope="module", params=PAGES)
def page(request, tab, known):
    """A page that has something on it; the tests of one page follow each other."""
    tab.set_viewport_size(DESK)
    tab.emulate_media(color_scheme="light", reduced_motion="reduce")
    answer = tab.goto(PAGES[request.param].format(**known))
    assert answer.status == 200
    tab.wait_for_selector("main h1")
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    return tab


def violations(page, rules):
    found = page.evaluate("(rules) => axe.run({runOnly: rules})", rules)["violations"]
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
    page.evaluate("window.reached = new Set(); document.activeElement.blur()")
    unseen = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        step = page.evaluate(STEP)
        if step == "end":
            break
        unseen += [step] if step else []
    assert unseen == []
    assert page.evaluate(LEFT) == []
