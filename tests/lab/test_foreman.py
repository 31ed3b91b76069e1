"""The foreman: a worker's process that is kept running, and ends with whoever started it."""

import os
import signal
import subprocess
import sys

import pytest

from warpbook.lab import foreman as module
from warpbook.lab.foreman import STARTS, WITHIN_S, Foreman, pause_s

STANDS_IN = "import os, sys, time; print(os.getpid(), file=sys.stderr, flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {STANDS_IN}"


@pytest.fixture
def foreman_of(book):
    """With another program in the worker's place, and what was told."""
    started = []

    def start(program):
        lines = []
        foreman = Foreman(book.folder, [], lines.append)
        foreman.command = [sys.executable, "-c", program]
        foreman.start()
        started.append(foreman)
        return foreman, lines

    yield start
    for foreman in started:
        foreman.kill()
        foreman.join(60)
        assert not foreman.is_alive()


def test_a_worker_that_dies_is_started_again_and_the_log_says_so(foreman_of, book, wait_for):
    _, lines = foreman_of(STANDS_IN)
    first = wait_for(lambda: lines[:1])[0]
    os.kill(int(first), signal.SIGKILL)
    wait_for(lambda: len(lines) == 3)
    text = "the dashboard's worker was ended by SIGKILL; it is started again"
    assert lines[1] == text
    assert lines[2] != first
    assert [event.text for event in book.log.list(kind="note")] == [text]


def test_one_that_cannot_live_is_started_a_few_times_a_minute(foreman_of, wait_for, monkeypatch):
    monkeypatch.setattr(module, "WITHIN_S", 3600.0)  # however long the few starts take
    foreman, lines = foreman_of("import sys; sys.exit('no such thing')")
    wait_for(lambda: len(lines) == 2 * STARTS)
    assert lines[0] == "no such thing"
    foreman.end()
    foreman.join(60)
    assert len(lines) == 2 * STARTS


def test_the_pause_is_what_is_left_of_the_minute():
    assert pause_s([]) == pause_s([0.0] * (STARTS - 1)) == 0.0
    assert pause_s([float("inf")] * STARTS) > 0
    assert pause_s([-WITHIN_S] * STARTS) == 0.0


def test_told_to_end_it_waits_and_can_be_hurried(foreman_of, wait_for):
    foreman, lines = foreman_of(STUBBORN)
    wait_for(lambda: lines)
    foreman.end()
    foreman.join(0.2)
    assert foreman.is_alive()
    foreman.kill()
    foreman.join(60)
    assert not foreman.is_alive()
    assert len(lines) == 1


def test_the_worker_goes_when_the_process_of_the_foreman_is_killed(book, wait_for):
    program = f"""
import sys, time
from pathlib import Path
from warpbook.lab.foreman import Foreman

foreman = Foreman(Path({str(book.folder)!r}), [], lambda line: print(line, flush=True))
foreman.command = [sys.executable, "-c", {STANDS_IN!r}]
foreman.start()
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        worker = int(parent.stdout.readline())
        parent.kill()
    wait_for(lambda: not os.path.exists(f"/proc/{worker}"))
