"""A newcomer's first minutes, all of it real: `warpbook up` where no book is, the printed link in a
browser, a worker that measures, and the starter campaign's first verdict on the screen."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from tab import Tab

from warpbook.book.audit.check import check

LINK = re.compile(r"dashboard  (http://\S+)")
PATIENCE_MS = 15 * 60_000


class Up:
    """`warpbook up` in a process of its own, once it has printed its link."""

    cookie = None  # a newcomer has none

    def __init__(self, process):
        self.process = process
        self.link = next(LINK.match(line)[1] for line in process.stdout if LINK.match(line))
        self.address = self.link.partition("/enter")[0]


@contextmanager
def started(folder):
    command = [sys.executable, "-m", "warpbook", "up", "--book", str(folder), "--port", "0"]
    environment = {**os.environ, "WARPBOOK_BUSY_IS_FINE": "yes"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Up(process)
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0


@pytest.mark.browser
def test_the_starter_campaign_from_first_start_to_first_verdict(browser, tmp_path):
    folder = tmp_path / "book"
    with started(folder) as up:
        tab = Tab(browser, up)
        page = tab.page
        page.goto(up.link)
        assert page.url == f"{up.address}/"
        page.locator(".queue > li").nth(2).wait_for()
        page.get_by_text("No run of this book has come out yet").wait_for(timeout=60_000)
        going = page.locator("#R-1 .steps .going").filter(has_text=re.compile(r"\d s"))
        going.wait_for(timeout=60_000)
        verdict = page.locator(".log > li", has_text=re.compile(r"H-\d is (supported|refuted)"))
        verdict.first.wait_for(timeout=PATIENCE_MS)
        name = re.search(r"H-\d", verdict.first.text_content())[0]
        page.goto(f"/hypotheses/{name}")
        page.locator("main .chip", has_text=re.compile("supported|refuted")).first.wait_for()
        tab.close()
    assert check(folder).problems == []
