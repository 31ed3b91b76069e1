"""The worker as its users see it: a process that drains the queue and leaves the book in order."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from warpbook.book import leases
from warpbook.book.audit.check import check
from warpbook.book.processes import marked
from warpbook.book.tables import Run
from warpbook.lab.lines import run_line
from warpbook.lab.local import LocalExecutor
from warpbook.lab.worker import Worker

WORK = """
import signal, sys
from warpbook.book.book import Book
from warpbook.lab.local import LocalExecutor
from warpbook.lab.worker import Worker

book = Book.open(sys.argv[1])
worker = Worker(book, LocalExecutor(), say=lambda line: print(line, flush=True))
signal.signal(signal.SIGTERM, lambda *_: worker.end())
worker.work()
"""
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3g"


@pytest.fixture
def worker_process(book):
    started = []

    def start():
        command = [sys.executable, "-c", WORK, str(book.folder)]
        started.append(subprocess.Popen(command))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_queue_is_drained_and_what_came_of_it_is_told(book, plan_of, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", TOKEN)
    metric = plan_of().metrics[0]
    book.hypotheses.add("two is more than one", metric, 0.05)
    book.experiments.add(plan_of(cwd=str(book.folder)), {"H-1": (0.1, 1.0)}, runs=1)
    book.experiments.add(plan_of("exit 1"), {"H-1": (0.1, 1.0)}, runs=1)
    ended = []
    Worker(book, LocalExecutor(), until_empty=True, ended=ended.append).work()
    lines = sorted(run_line(book, name) for name in ended)
    assert lines[0].startswith("R-1 of E-1: 2.00x (2.00x to 2.00x); H-1 at ")
    assert lines[1].startswith("R-2 of E-2: disqualified: baseline crashed: ")
    assert "H-1" not in lines[1]
    assert check(book.folder).problems == []
    receipt = book.runs.receipt("R-1")
    assert receipt.capture["packages"]
    assert receipt.environment["python"]
    for path in book.folder.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path


def test_a_run_is_stopped_on_request(book, plan_of, worker_process, wait_for):
    book.experiments.add(plan_of("sleep 1000"), runs=1)
    worker = worker_process()
    uid = wait_for(lambda: [run.uid for run in book.runs.list()])[0]
    wait_for(lambda: len(marked(uid)) >= 3)
    book.runs.ask_stop("R-1")
    wait_for(lambda: book.runs.get("R-1").state == "stopped")
    assert marked(uid) == []
    assert book.experiments.get("E-1").state == "cancelled"
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(120) == 0


def test_a_worker_that_is_told_to_end_gives_its_run_back(book, plan_of, worker_process, wait_for):
    book.experiments.add(plan_of("sleep 1000"), runs=1)
    worker = worker_process()
    uid = wait_for(lambda: [run.uid for run in book.runs.list()])[0]
    wait_for(lambda: len(marked(uid)) >= 3)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(120) == 0
    assert marked(uid) == []
    run = book.runs.get("R-1")
    assert (run.state, run.reason) == ("stopped", "its worker was ended")
    assert book.experiments.get("E-1").state == "queued"
    assert [e.kind for e in book.log.list(subject="W-1")] == ["worker.started", "worker.ended"]
    assert check(book.folder).problems == []


def test_everything_dies_with_a_worker_that_is_killed(book, plan_of, worker_process, wait_for):
    book.experiments.add(plan_of("sleep 1000 & setsid sleep 1000"), runs=1)
    worker = worker_process()
    uid = wait_for(lambda: [run.uid for run in book.runs.list()])[0]
    wait_for(lambda: len(marked(uid)) >= 4)
    worker.kill()
    worker.wait()
    wait_for(lambda: not [pid for pid in marked(uid) if "warpbook" in command_of(pid)])
    book.queue.pause()
    Worker(book, LocalExecutor(), until_empty=True).work()
    assert marked(uid) == []
    assert book.runs.get("R-1").state == "lost"
    assert book.experiments.get("E-1").state == "queued"


def test_a_worker_that_slept_records_nothing_of_what_was_taken(
    book, plan_of, worker_process, wait_for
):
    book.experiments.add(plan_of("sleep 1000"), runs=1)
    worker = worker_process()
    uid = wait_for(lambda: [run.uid for run in book.runs.list()])[0]
    wait_for(lambda: len(marked(uid)) >= 3)
    book.queue.pause()
    then = time.time() - leases.LEASE_S - 1
    with book.writing() as write:  # so that it does not fall asleep while it holds the book
        worker.send_signal(signal.SIGSTOP)
        wait_for(lambda: states_of(worker.pid) == {"T"})
        write.session.get_one(Run, 1).lease_until = then
    os.utime(leases.lock_path(book, 1), (then, then))
    assert leases.recover(book) == ["R-1"]
    assert marked(uid) == []
    worker.send_signal(signal.SIGCONT)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(120) == 0
    assert [e.kind for e in book.log.list(subject="R-1")] == ["run.started", "run.lost"]
    assert book.experiments.get("E-1").state == "queued"
    assert check(book.folder).problems == []


def states_of(pid):
    """Of all threads: a signal that stops a process reaches them one by one."""
    texts = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat")]
    return {text.rpartition(")")[2].split()[0] for text in texts}


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode()
    except OSError:
        return ""


@pytest.mark.parametrize("block", ["pause", "campaign", "author"])
def test_nothing_is_taken_that_may_not_be(book, plan_of, block):
    book.experiments.add(plan_of(), runs=1)
    if block == "pause":
        book.queue.pause()
    elif block == "campaign":
        book.campaigns.stop("inbox")
    else:
        book.queue.hold("ana")
    Worker(book, LocalExecutor(), until_empty=True).work()
    assert book.runs.list() == []
    assert book.experiments.get("E-1").state == "queued"


def test_the_verb_makes_one_run_and_prints_one_document(book, plan_of):
    book.experiments.add(plan_of(), runs=3)
    ended = subprocess.run(
        [sys.executable, "-m", "warpbook", "work", "--once", "--json", "--book", str(book.folder)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    (run,) = json.loads(ended.stdout)["runs"]
    assert (run["name"], run["experiment"], run["state"]) == ("R-1", "E-1", "valid")
    assert "R-1 of E-1: 2.00x" in ended.stderr
    assert book.experiments.get("E-1").state == "queued"
