"""The bars on size: in a book of 100,000 experiments, with 1,000 open hypotheses and 10,000
experiments in the queue, recording a result and reordering takes at most 200 ms, and every list
verb at most 300 ms, the start of the process aside. A minute or two, most of it to build the book.
"""

import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from big_book import EXPERIMENTS, build, uid

from warpbook.book import learning, names
from warpbook.book.book import Book
from warpbook.book.events import now
from warpbook.book.folder import DATABASE
from warpbook.book.keys import here
from warpbook.book.tables import Run
from warpbook.core.effect import KERNEL_TIME, blocks_gain
from warpbook.core.run import ORDER, MetricSamples, Plan, RunReceipt, RunStatus

RECORD_BAR_S, LIST_BAR_S = 0.2, 0.3
WARM_UP, RECORDED, PINNED, PINNED_RUNS = 3, 30, 9, 8


def receipt_of(run: Run, plan: Plan, gain: float) -> RunReceipt:
    """As of a command: its samples are a plain mean of blocks."""
    base = (10.0,) * 8
    change = tuple(10.0 * math.exp(-gain + 0.003 * (-1) ** (i // 2)) for i in range(8))
    samples = MetricSamples(KERNEL_TIME, base, change, *blocks_gain(base, change, KERNEL_TIME))
    return RunReceipt(
        run.name, run.nonce, "command", RunStatus.MEASURED, "", now(), now(), 25.0, (samples,),
        ORDER, plan, here("cpu") or {}, {},
    )  # fmt: skip


def record_one(book: Book, gain: float) -> float:
    """A run of the next experiment in turn; the seconds that recording it takes."""
    with book.writing() as write:
        chosen = book.queue.next(write.session, {"cpu"})
        assert chosen is not None
        run = Run(
            experiment_id=chosen.id, nonce=uid(), state="running", place="cpu", started_at=now()
        )
        write.add(run, "run.started", f"{{name}} of {chosen.name}")
        write.set(chosen, "experiment.started", f"{chosen.name} runs", state="running")
    receipt = receipt_of(run, book.experiments.plan(chosen.name), gain)
    began = time.perf_counter()
    with book.writing() as write:
        row = names.get(write.session, Run, run.name)
        learning.record(write, book.settings, row, receipt, "0" * 64, 0.0)
    return time.perf_counter() - began


def record_many(book: Book) -> tuple[list[float], list[float]]:
    """Some in their turn, and some pinned until they are decided: a verdict moves its campaign's
    bar, and with it the score of much that waits. The seconds of those without and with one."""
    draw = random.Random(5)
    decisive = []
    for _ in range(WARM_UP):
        record_one(book, draw.gauss(0.1, 0.1))
    plain = [record_one(book, draw.gauss(0.1, 0.1)) for _ in range(RECORDED)]
    for number in range(PINNED):
        name = f"E-{EXPERIMENTS - number}"
        book.experiments.more(name, PINNED_RUNS)
        book.experiments.pin(name)
        while book.experiments.get(name).state == "queued":
            before = book.log.last()
            taken = record_one(book, draw.gauss(0.3 * (number % 2), 0.002))
            flipped = book.log.list(after=before, kind="verdict")
            (decisive if flipped else plain).append(taken)
    return plain, decisive


def list_verbs(book: Book) -> dict[str, Callable[[], object]]:
    return {
        "queue": lambda: book.queue.order(),
        "hypotheses": lambda: book.hypotheses.list(),
        "hypotheses, a campaign's, open": lambda: book.hypotheses.list("campaign 2", "open"),
        "hypotheses, by words": lambda: book.hypotheses.list(search="idea 77 "),
        "hypothesis": lambda: book.hypotheses.summary("H-7"),
        "experiments": lambda: book.experiments.list(),
        "experiments, a campaign's, queued": lambda: book.experiments.list("campaign 2", "queued"),
        "experiments, by words": lambda: book.experiments.list(search="idea77 "),
        "experiments, the last page": lambda: book.experiments.list(offset=EXPERIMENTS - 50),
        "runs": lambda: book.runs.list(),
        "runs, failed": lambda: book.runs.list(state="failed"),
        "campaigns": lambda: book.campaigns.list(),
        "calibration": lambda: book.calibration.by_author(),
        "log": lambda: book.log.latest(),
        "log, of a kind": lambda: book.log.latest(kind="verdict"),
        "log, of a subject": lambda: book.log.latest(subject="H-7"),
    }


def median_s(call: Callable[[], object]) -> float:
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="warpbook-scale-") as folder:
        began = time.perf_counter()
        book = Book.create(Path(folder) / "book", author="ana")
        build(book)
        size = (book.folder / DATABASE).stat().st_size / 1e6
        print(
            f"built in {time.perf_counter() - began:.0f} s: {size:.0f} MB, {book.log.last()} events"
        )
        ok = measure(book)
        book.close()
    return 0 if ok else 1


def measure(book: Book) -> bool:
    ok = True
    kinds = ("record and reorder", "record, a verdict changes, and reorder")
    for kind, seconds in zip(kinds, record_many(book), strict=True):
        middle, worst = statistics.median(seconds), max(seconds)
        ok = ok and middle <= RECORD_BAR_S
        print(
            f"{kind}: median {middle * 1e3:.0f} ms, worst of {len(seconds)} {worst * 1e3:.0f} ms "
            f"(bar {RECORD_BAR_S * 1e3:.0f} ms)"
        )
    for name, call in list_verbs(book).items():
        taken = median_s(call)
        ok = ok and taken <= LIST_BAR_S
        print(f"{name}: {taken * 1e3:.0f} ms (bar {LIST_BAR_S * 1e3:.0f} ms)")
    return ok


if __name__ == "__main__":
    sys.exit(main())
