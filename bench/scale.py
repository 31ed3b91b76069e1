"""The bars on size: in a book of 100,000 experiments, with 1,000 open hypotheses and 10,000
experiments in the queue, recording a result and reordering takes at most 200 ms, and every list
verb at most 300 ms, the start of the process aside. A minute or two, most of it to build the book.
"""

import hashlib
import math
import random
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from warpbook.book import evaluation, learning, names
from warpbook.book.book import Book
from warpbook.book.events import Line, append_all, now
from warpbook.book.folder import DATABASE
from warpbook.book.keys import expected_keys, here
from warpbook.book.tables import (
    Author,
    Base,
    Campaign,
    Experiment,
    Hypothesis,
    Prediction,
    Run,
)
from warpbook.core.codec import encode
from warpbook.core.effect import KERNEL_TIME, blocks_gain
from warpbook.core.run import ORDER, Arm, MetricSamples, Plan, RunReceipt, RunStatus

RECORD_BAR_S, LIST_BAR_S = 0.2, 0.3
EXPERIMENTS, QUEUED, OPEN = 100_000, 10_000, 1_000
CAMPAIGN_SIZE = 300  # hypotheses of a campaign that is over
RUNS_EACH = 2
WARM_UP, RECORDED, PINNED, PINNED_RUNS = 3, 30, 9, 8
DELTA = math.log(1.03)
METRIC = encode(KERNEL_TIME)
AUTHORS = ("ana", "ben", "an agent")
Row = dict[str, Any]


class Builder:
    """Inserts rows in bulk, each with its event in the chain."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.random = random.Random(4)
        self.at = now()

    def add(self, table: type[Base], rows: Iterable[Row], kind: str) -> None:
        """Rows are given without the columns that have a default."""
        columns: Any = table.__table__.columns
        usual = {c.key: default_of(c) for c in columns}
        told = [c.key for c in columns if not c.info.get("derived")]
        whole = [usual | row for row in rows]
        letter = getattr(table, "letter", "")
        with self.book.store.write("ana") as write:
            made: Any = table.__table__
            write.session.connection().execute(insert(made), whole)
            lines = (line(table, letter, row, told, kind) for row in whole)
            append_all(write.session, "ana", lines)


def default_of(column: Any) -> Any:
    if column.default is None:
        return None
    return column.default.arg(None) if column.default.is_callable else column.default.arg


def line(table: type[Base], letter: str, row: Row, told: list[str], kind: str) -> Line:
    key = row.get("id") or row["name"]
    name = f"{letter}-{key}" if letter else key
    data = {"table": table.__tablename__, "id": key, "set": {k: row[k] for k in told}}
    return kind, name, f"{name} of the bench", data


@cache
def keys_of(workload: str) -> str:
    """The noise key; the environment key differs for each pair of arms."""
    return expected_keys(replace(plan_of(0), workload=workload))[1] or ""


def plan_of(number: int) -> Plan:
    workload = f"{2 ** (number % 7 + 8)}x{2 ** (number % 5 + 8)}-fp32"
    arms = [
        Arm(name, hashlib.sha256(name.encode()).hexdigest(), rung=name)
        for name in ("tiled", f"idea{number}")
    ]
    return Plan("kernel", workload, "cpu", *arms, (KERNEL_TIME,), problem="softmax")


def uid() -> str:
    return secrets.token_hex(16)


def build(book: Book) -> None:
    builder = Builder(book)
    past = EXPERIMENTS - QUEUED
    authors = [{"name": name} for name in AUTHORS if name != book.author]
    builder.add(Author, authors, "author.added")
    campaigns = past // CAMPAIGN_SIZE
    builder.add(Campaign, (campaign(i + 2) for i in range(campaigns + 1)), "campaign.added")
    open_ones = (hypothesis(builder, i + 1, 2) for i in range(OPEN))
    builder.add(Hypothesis, open_ones, "hypothesis.added")
    over = (past_hypothesis(builder, i) for i in range(past))
    builder.add(Hypothesis, over, "hypothesis.added")
    experiments = (experiment(builder, i + 1, past) for i in range(EXPERIMENTS))
    builder.add(Experiment, experiments, "experiment.added")
    predictions = (prediction(builder, i + 1, past) for i in range(EXPERIMENTS))
    builder.add(Prediction, predictions, "prediction.locked")
    runs = (run(builder, number) for number in range(past * RUNS_EACH))
    builder.add(Run, runs, "run.valid")
    with book.writing() as write:
        evaluation.evaluate(write, range(1, OPEN + 1), "the bench begins", grown=2)


def campaign(number: int) -> Row:
    state = "active" if number == 2 else "archived"
    return {
        "id": number, "uid": uid(), "name": f"campaign {number}", "author": "ana", "state": state,
        "created_at": now(),
    }  # fmt: skip


def hypothesis(builder: Builder, number: int, campaign_id: int) -> Row:
    low = builder.random.uniform(0.02, 0.3)
    return {
        "id": number, "uid": uid(), "campaign_id": campaign_id, "author": AUTHORS[number % 3],
        "claim": f"idea {number} is faster by at least 3%", "because": "it reads each line once",
        "metric": METRIC, "direction": 1, "delta": DELTA, "created_at": builder.at,
        "expected_low": low, "expected_high": low + 0.1,
        "noise_key": keys_of(plan_of(number).workload),
    }  # fmt: skip


def past_hypothesis(builder: Builder, i: int) -> Row:
    """Of a campaign that is over, refuted by two runs of its one experiment."""
    seen = {"verdict": "refuted", "runs": RUNS_EACH, "estimate": 0.0, "sigma": 0.01}
    campaigns = (EXPERIMENTS - QUEUED) // CAMPAIGN_SIZE
    return hypothesis(builder, OPEN + i + 1, 3 + i // CAMPAIGN_SIZE % campaigns) | seen


def experiment(builder: Builder, number: int, past: int) -> Row:
    plan = plan_of(number)
    done = number <= past
    return {
        "id": number, "uid": uid(), "campaign_id": 3 if done else 2,
        "author": AUTHORS[number % 3], "kind": "kernel",
        "title": f"idea{number} against tiled on softmax {plan.workload}", "plan": encode(plan),
        "a_sha256": plan.baseline.sha256, "b_sha256": plan.change.sha256,
        "workload": plan.workload, "device": "cpu", "environment_key": expected_keys(plan)[0],
        "noise_key": keys_of(plan.workload), "state": "done" if done else "queued",
        "created_at": builder.at, "queued_at": builder.at,
        "runs_wanted": RUNS_EACH if done else 3, "runs_valid": RUNS_EACH if done else 0,
        "cost_s": builder.random.choice((20.0, 30.0, 60.0)),
    }  # fmt: skip


def prediction(builder: Builder, number: int, past: int) -> Row:
    of = OPEN + number if number <= past else (number - past - 1) % OPEN + 1
    low = builder.random.uniform(0.02, 0.3)
    came = {"outcome": builder.random.choice(("hit", "hit", "over")), "score": 0.2}
    return {
        "id": number, "uid": uid(), "experiment_id": number, "hypothesis_id": of,
        "author": AUTHORS[number % 3], "low": low, "high": low + 0.1, "locked_at": builder.at,
    } | (came if number <= past else {})  # fmt: skip


def run(builder: Builder, number: int) -> Row:
    of = number // RUNS_EACH + 1
    gain = builder.random.gauss(0.0, 0.01)
    return {
        "id": number + 1, "uid": uid(), "experiment_id": of, "nonce": uid(), "state": "valid",
        "place": "cpu", "started_at": builder.at, "ended_at": builder.at,
        "environment_key": f"{of:016x}", "noise_key": keys_of(plan_of(of).workload),
        "gain": gain, "error": 0.003, "gains": {"time_us": [gain, 0.003]},
        "seconds": builder.random.uniform(10, 60), "money": 0.0, "receipt_sha256": "0" * 64,
    }  # fmt: skip


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
