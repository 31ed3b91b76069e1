"""A newcomer's first minutes, all of it real: `warpbook up` where no book is, the printed link in a
browser, a worker that measures a claim of the starter campaign, and a first verdict on the screen.

The verdict is on a claim whose numbers are given: whether a measured one is decided after three
runs or after six is for the times of this machine to say, and a bar of `make bench`.
"""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from tab import Tab

from warpbook.book.audit.check import check
from warpbook.book.book import Book
from warpbook.lab.attempt import attempt
from warpbook.measure.lock import device_lock

LINK = re.compile(r"dashboard  (http://\S+)")
PATIENCE_MS = 15 * 60_000
# What the judge may say of two honest rungs, by what else goes on here.
JUDGED = re.compile(
    r"R-1 of E-1(: \d+\.\d+x in time_us| is invalid: | is disqualified: \w+ is suspect)"
)
GIVEN = {"command": "echo '{\"rate\": 2}'", "baseline": "echo '{\"rate\": 1}'", "device": "none"}


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
def test_from_first_start_to_a_measured_run_and_a_verdict(browser, tmp_path):
    folder = tmp_path / "book"
    with started(folder) as up:
        tab = Tab(browser, up)
        page = tab.page
        page.set_default_timeout(PATIENCE_MS)
        with device_lock("cpu"):  # nothing comes out before the page was seen without it
            page.goto(up.link)
            assert page.url == f"{up.address}/"
            page.locator(".queue > li").nth(2).wait_for()
            page.get_by_text("No run of this book has come out yet").wait_for()
            page.locator("#R-1 .steps .going", has_text=re.compile(r"\d s")).wait_for()
        book = Book.open(folder)
        name = attempt(book, **GIVEN, metric="rate:higher", expect="1.5x..3x").hypothesis.name
        book.close()
        log = page.locator(".log > li")
        log.filter(has_text=JUDGED).first.wait_for()
        log.filter(has_text=f"{name} is supported").first.wait_for()
        page.goto(f"/hypotheses/{name}")
        page.locator("main .chip", has_text="supported").first.wait_for()
        tab.close()
    assert check(folder).problems == []
