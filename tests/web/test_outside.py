"""A page that asks anything of another machine is stopped, and seen by the tabs of all tests. Every
page is watched so in test_accessibility.py."""

import pytest
from tab import Tab

pytestmark = pytest.mark.browser
# Reserved for documentation: nobody has it.
ELSEWHERE = "192.0.2.1"
SETTLED = "main h1"


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
def test_a_page_that_would_is_stopped_and_seen(browser, served, context, planted):
    tab = Tab(browser, served, context=context)
    tab.page.goto("/log")
    tab.page.wait_for_selector(SETTLED)
    assert not tab.trouble
    with tab.page.expect_console_message(lambda message: "Content Security" in message.text):
        tab.page.evaluate(planted.format(ELSEWHERE))
    tab.page.close()
    assert any(ELSEWHERE in line for line in tab.trouble)


def test_a_page_without_a_policy_is_seen_as_well(browser, served, context):
    """The same look at a page that nothing stops: the request itself is noticed."""
    tab = Tab(browser, served, context=context)
    with tab.page.expect_request(lambda request: ELSEWHERE in request.url):
        tab.page.set_content(f'<img src="http://{ELSEWHERE}/i.png">', wait_until="commit")
    tab.page.close()
    assert [line for line in tab.trouble if line.startswith("a request left the machine")]
