"""The bar on crashes: 1,000 kill -9 of workers and of a process that writes to the book, at random
moments. No result is lost, none is counted twice, the book checks clean, and every experiment that
was leased waits again or is done. About 10 minutes on two cores.

Processes are forked from this one, which has all modules loaded: a kill then falls into the work
and not into Python's start.
"""

import argparse
import hashlib
import json
import math
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select

from warpbook.book import leases
from warpbook.book.audit import check as audit
from warpbook.book.book import Book
from warpbook.book.processes import die_with_parent
from warpbook.book.tables import Event, Experiment, Run
from warpbook.core.effect import Better, Metric
from warpbook.core.run import Arm, Plan
from warpbook.lab.local import LocalExecutor
from warpbook.lab.worker import Worker

KILLS = 1000
WORKERS = 3
EXPERIMENTS = 12
DYING_S = 60.0
# In runs as long as one takes here when nobody is killed. Several share the cores.
WORKER_LIVES = 3.0
WRITER_LIVES = 1.0
METRIC = Metric("m", "", Better.HIGHER)
ENDS = ("run.valid", "run.failed", "run.disqualified", "run.invalid", "run.stopped")


@dataclass
class Victim:
    """A process that is killed, and started again. Lives for a random time, up to `longest_s`."""

    name: str
    work: Callable[[], None]
    longest_s: float
    output: Path
    pid: int = 0
    until: float = 0.0
    kills: int = field(default=0)

    def start(self) -> None:
        self.until = time.monotonic() + random.uniform(0, self.longest_s)
        self.pid = os.fork()
        if self.pid:
            return
        die_with_parent()
        log = os.open(self.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        try:
            self.work()
        finally:
            os._exit(1)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(f"{self.name} ended by itself: see {self.output}\n{self.output.read_text()}")
        self.kills += 1


def plan_of(number: int) -> Plan:
    commands = ("echo '{\"m\": 1}'", f"echo '{{\"m\": {number + 2}}}'")
    arms = [Arm(c, hashlib.sha256(c.encode()).hexdigest(), command=c) for c in commands]
    return Plan("command", "w", "none", arms[0], arms[1], (METRIC,))


def work(folder: Path) -> None:
    Worker(Book.open(folder), LocalExecutor(("none",))).work()


def write(folder: Path, acknowledged: Path) -> None:
    """Notes, and now and then a hypothesis; each is told of once it is in the book."""
    book = Book.open(folder)
    with open(acknowledged, "a", buffering=1) as told:
        for number in range(10**9):
            text = f"note {os.getpid()} {time.monotonic_ns()} {number}"
            book.log.note(text)
            told.write(f"{text}\n")
            if number % 20 == 19:
                claim = f"claim {os.getpid()} {time.monotonic_ns()}"
                book.hypotheses.add(claim, METRIC, math.log(1.05))


def one_run_s(folder: Path) -> float:
    """How long a run takes here, in a process of its own like all the others."""
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        die_with_parent()
        try:
            Worker(Book.open(folder), LocalExecutor(("none",)), runs=1).work()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return time.monotonic() - began


def rampage(victims: list[Victim], kills: int) -> None:
    for victim in victims:
        victim.start()
    done = 0
    while done < kills:
        victim = min(victims, key=lambda one: one.until)
        time.sleep(max(victim.until - time.monotonic(), 0))
        victim.kill()
        done += 1
        if done % 100 == 0:
            print(f"{done} kills", flush=True)
        victim.start()
    for victim in victims:
        os.kill(victim.pid, signal.SIGKILL)
        os.waitpid(victim.pid, 0)


def recover(book: Book) -> None:
    """What a killed worker was just starting may hold its lock for a moment longer."""
    until = time.monotonic() + DYING_S
    while True:
        leases.recover(book)
        with book.reading() as session:
            left = session.scalar(select(Run.id).where(Run.state == "running").limit(1))
        if left is None or time.monotonic() > until:
            return
        time.sleep(0.1)


def problems(book: Book, acknowledged: Path) -> list[str]:
    found = [str(problem) for problem in audit.check(book.folder).problems]
    with book.reading() as session:
        runs = {run.name: run for run in session.scalars(select(Run))}
        experiments = session.scalars(select(Experiment)).all()
        ended = Counter(session.scalars(select(Event.subject).where(Event.kind.in_(ENDS))))
        notes = Counter(session.scalars(select(Event.text).where(Event.kind == "note")))
    for path in (book.folder / "runs").glob("R-*/receipt.json"):
        run, digest = runs[path.parent.name], hashlib.sha256(path.read_bytes()).hexdigest()
        if json.loads(path.read_text())["nonce"] == run.nonce and run.receipt_sha256 != digest:
            found.append(f"the result of {run.name} is lost: it is {run.state}")
    for name, run in runs.items():
        if ended[name] != (run.state not in ("lost", "running")):
            found.append(f"{name} is {run.state} and was recorded {ended[name]} times")
        if run.state == "running":
            found.append(f"{name} is still running")
    valid = Counter(run.experiment_id for run in runs.values() if run.state == "valid")
    for experiment in experiments:
        if experiment.state not in ("queued", "done"):
            found.append(f"{experiment.name} is {experiment.state}: {experiment.state_reason}")
        if experiment.runs_valid != valid[experiment.id]:
            found.append(f"{experiment.name} counts {experiment.runs_valid} valid runs")
    told = acknowledged.read_text().splitlines()
    found += [f"{text!r} is in the book {notes[text]} times" for text in told if notes[text] != 1]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    random.seed(asked.seed)
    leases.LOSSES = 10**6  # killed so often, three in a row say nothing of the experiment
    with tempfile.TemporaryDirectory(prefix="warpbook-kills-") as scratch:
        folder, acknowledged = Path(scratch) / "book", Path(scratch) / "acknowledged"
        book = Book.create(folder, "ana")
        for number in range(EXPERIMENTS):
            book.experiments.add(plan_of(number), runs=1000)
        acknowledged.touch()
        run_s = one_run_s(folder)
        began = time.monotonic()
        output = Path(scratch) / "output"
        victims = [
            Victim(f"worker {i}", lambda: work(folder), WORKER_LIVES * run_s, output)
            for i in range(WORKERS)
        ]
        victims.append(
            Victim("writer", lambda: write(folder, acknowledged), WRITER_LIVES * run_s, output)
        )
        rampage(victims, asked.kills)
        recover(book)
        found = problems(book, acknowledged)
        states = Counter(run.state for run in book.runs.list(limit=10**6))
        adopted = len(book.log.list(kind="run.adopted", limit=10**6))
        notes = len(acknowledged.read_text().splitlines())
        book.close()
    kills = ", ".join(f"{victim.name} {victim.kills}" for victim in victims)
    print(f"{asked.kills} kills ({kills}) in {time.monotonic() - began:.0f} s")
    print(f"runs: {dict(states)}, of which {adopted} adopted; {notes} notes")
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
