"""No page asks anything of another machine, and no page needs what its policy forbids."""

import pytest
from busy_book import PAGES, fill
from tab import Tab

pytestmark = pytest.mark.browser
# Reserved for documentation: nobody has it.
ELSEWHERE = "192.0.2.1"
SETTLED = "main h1"


@pytest.fixture(scope="module")
def known(served):
    return fill(served.desk)


def test_no_page_asks_another_machine(tabs, known):
    """What goes wrong in a tab, a request elsewhere and a break of the policy included, fails the
    test when the tab closes."""
    page = tabs()
    for address in PAGES.values():
        answer = page.goto(address.format(**known))
        assert answer.status == 200
        page.wait_for_selector(SETTLED)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(
    "planted",
    [
        "fetch('http://{}/').catch(() => 0)",
        "document.body.append(Object.assign(new Image(), {{src: 'http://{}/i.png'}}))",
        "document.head.append(Object.assign(document.createElement('script'),"
        " {{src: 'http://{}/a.js'}}))",
        "try {{ new WebSocket('ws://{}/') }} catch {{}}",
    ],
)
def test_a_page_that_would_is_stopped_and_seen(browser, served, known, planted):
    tab = Tab(browser, served, expect_errors=True)
    tab.page.goto("/log")
    tab.page.wait_for_selector(SETTLED)
    assert not tab.trouble
    with tab.page.expect_console_message(lambda message: "Content Security" in message.text):
        tab.page.evaluate(planted.format(ELSEWHERE))
    tab.context.close()
    assert any(ELSEWHERE in line for line in tab.trouble)


def test_a_page_without_a_policy_is_seen_as_well(browser, served, known):
    """The same look at a page that nothing stops: the request itself is noticed."""
    tab = Tab(browser, served)
    tab.page.set_content(f'<img src="http://{ELSEWHERE}/i.png">', wait_until="commit")
    tab.context.close()
    assert [line for line in tab.trouble if line.startswith("a request left the machine")]
