"""The bar on working together: 8 workers on one book. No run is made twice, no worker is starved,
and the book checks clean. About 2 minutes on two cores.

No run goes on before every worker has one: which worker starts first decides nothing, and one that
is given none holds up all others, until they fail.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from warpbook.book.audit import check as audit
from warpbook.book.book import Book
from warpbook.book.processes import die_with_parent
from warpbook.core.effect import Better, Metric
from warpbook.core.run import Arm, Plan
from warpbook.lab.local import LocalExecutor
from warpbook.lab.worker import Worker

WORKERS = 8
EXPERIMENTS = 24
RUNS = 3
LIMIT_S = 300.0  # for all workers to start
# Of what each would have, were all shared out evenly.
LEAST_SHARE = 0.25


def plan_of(number: int, present: Path, workers: int) -> Plan:
    """`present` is a folder with a file for each run that has begun."""
    wait = (
        f"touch {present}/$WARPBOOK_RUN; "
        f"until [ $(ls {present} | wc -l) -ge {workers} ]; do sleep 0.05; done"
    )
    commands = (f"{wait}; echo '{{\"m\": 1}}'", f"echo '{{\"m\": {number + 2}}}'")
    arms = [Arm(c, hashlib.sha256(c.encode()).hexdigest(), command=c) for c in commands]
    metric = Metric("m", "", Better.HIGHER)
    return Plan("command", "w", "none", arms[0], arms[1], (metric,), limit_s=LIMIT_S)


def start(folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    die_with_parent()
    try:
        Worker(Book.open(folder), LocalExecutor(("none",)), until_empty=True).work()
    except BaseException as error:
        print(f"a worker broke: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def problems(book: Book, workers: int, experiments: int, runs: int) -> list[str]:
    found = [str(problem) for problem in audit.check(book.folder).problems]
    made = book.runs.list(limit=10**6)
    found += [f"{run.name} is {run.state}: {run.reason}" for run in made if run.state != "valid"]
    of = Counter(run.experiment_id for run in made)
    for number in range(1, experiments + 1):
        if of[number] != runs:
            found.append(f"E-{number} has {of[number]} runs, not {runs}")
        if book.experiments.get(number).state != "done":
            found.append(f"E-{number} is {book.experiments.get(number).state}")
    by = Counter(run.worker_id for run in made)
    least = LEAST_SHARE * experiments * runs / workers
    for worker in range(1, workers + 1):
        if by[worker] < least:
            found.append(f"W-{worker} made {by[worker]} runs, of {least:g} that it should at least")
    print("runs by worker:", ", ".join(f"W-{w} {by[w]}" for w in range(1, workers + 1)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--experiments", type=int, default=EXPERIMENTS)
    parser.add_argument("--runs", type=int, default=RUNS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpbook-workers-") as scratch:
        book = Book.create(Path(scratch) / "book", "ana")
        present = Path(scratch) / "present"
        present.mkdir()
        for number in range(asked.experiments):
            plan = plan_of(number, present, asked.workers)
            book.experiments.add(plan, runs=asked.runs)
        began = time.monotonic()
        pids = [start(book.folder) for _ in range(asked.workers)]
        broken = [pid for pid in pids if os.waitpid(pid, 0)[1]]
        took = time.monotonic() - began
        found = problems(book, asked.workers, asked.experiments, asked.runs)
        found += [f"the worker of process {pid} broke" for pid in broken]
        book.close()
    print(f"{asked.workers} workers, {asked.experiments * asked.runs} runs in {took:.0f} s")
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
