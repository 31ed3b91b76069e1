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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from warpbook.book import evaluation, learning, names
from warpbook.book.book import Book
from warpbook.book.collection import set_many
from warpbook.book.events import Line, append_all, now
from warpbook.book.folder import DATABASE
from warpbook.book.keys import expected_keys, here
from warpbook.book.store import given, key_of
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
RECORDED, PINNED, PINNED_RUNS = 30, 5, 8
DELTA = math.log(1.03)
METRIC = encode(KERNEL_TIME)
AUTHORS = ("ana", "ben", "an agent")


class Builder:
    """Inserts rows in bulk, each with its event in the chain."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.random = random.Random(4)
        self.at = now()

    def add(self, rows: list[Base], kind: str) -> None:
        with self.book.store.write("ana") as write:
            everything = [columns_of(row) for row in rows]
            table: Any = type(rows[0]).__table__
            write.session.connection().execute(insert(table), everything)
            append_all(write.session, "ana", (line(row, kind) for row in rows))


def line(row: Base, kind: str) -> Line:
    name = names.name_of(row)
    data = {"table": row.__tablename__, "id": key_of(row), "set": given(row)}
    return kind, name, f"{name} of the bench", data


def columns_of(row: Base) -> dict[str, Any]:
    """With the defaults, which a bulk insert of plain rows leaves out."""
    found = {}
    for column in type(row).__table__.columns:
        value = getattr(row, column.key)
        if value is None and column.default is not None:
            default: Any = column.default
            value = default.arg(None) if default.is_callable else default.arg
            setattr(row, column.key, value)
        found[column.key] = value
    return found


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
    rows = [Author(name=name, held=False, widen=1.0) for name in AUTHORS]
    builder.add([row for row in rows if row.name != book.author], "author.added")
    campaigns = past // CAMPAIGN_SIZE
    builder.add([campaign(i + 2, "archived" if i else "active") for i in range(campaigns + 1)],
                "campaign.added")  # fmt: skip
    open_ones = [hypothesis(builder, i + 1, 2, "open") for i in range(OPEN)]
    over = [
        hypothesis(builder, OPEN + i + 1, 3 + i // CAMPAIGN_SIZE % campaigns, "refuted")
        for i in range(past)
    ]
    builder.add([*open_ones, *over], "hypothesis.added")
    builder.add([experiment(builder, i + 1, past) for i in range(EXPERIMENTS)], "experiment.added")
    builder.add([prediction(builder, i + 1, past) for i in range(EXPERIMENTS)], "prediction.locked")
    runs = [run(builder, number) for number in range(past * RUNS_EACH)]
    builder.add(runs, "run.valid")
    with book.writing() as write:
        ids = range(1, OPEN + 1)
        evaluation.evaluate(write, ids, "the bench begins", grown=2)
    weigh_past(book, over)


def campaign(number: int, state: str) -> Campaign:
    return Campaign(
        id=number, uid=uid(), name=f"campaign {number}", author="ana", state=state, created_at=now()
    )


def hypothesis(builder: Builder, number: int, campaign_id: int, verdict: str) -> Hypothesis:
    low = builder.random.uniform(0.02, 0.3)
    noise_key = expected_keys(plan_of(number))[1]
    return Hypothesis(
        id=number, uid=uid(), campaign_id=campaign_id, author=AUTHORS[number % 3],
        claim=f"idea {number} is faster by at least 3%", because="it reads each line once",
        metric=METRIC, direction=1, delta=DELTA, prior=0.5, created_at=builder.at, verdict=verdict,
        expected_low=low, expected_high=low + 0.1, noise_key=noise_key,
    )  # fmt: skip


def experiment(builder: Builder, number: int, past: int) -> Experiment:
    plan = plan_of(number)
    environment_key, noise_key = expected_keys(plan)
    done = number <= past
    return Experiment(
        id=number, uid=uid(), campaign_id=2 if not done else 3, author=AUTHORS[number % 3],
        kind="kernel", title=f"idea{number} against tiled on softmax {plan.workload}",
        plan=encode(plan), a_sha256=plan.baseline.sha256, b_sha256=plan.change.sha256,
        workload=plan.workload, device="cpu", environment_key=environment_key,
        noise_key=noise_key, state="done" if done else "queued", created_at=builder.at,
        queued_at=builder.at, runs_wanted=RUNS_EACH if done else 3,
        runs_valid=RUNS_EACH if done else 0, cost_s=builder.random.choice((20.0, 30.0, 60.0)),
    )  # fmt: skip


def prediction(builder: Builder, number: int, past: int) -> Prediction:
    of = OPEN + number if number <= past else (number - past - 1) % OPEN + 1
    low = builder.random.uniform(0.02, 0.3)
    return Prediction(
        id=number, uid=uid(), experiment_id=number, hypothesis_id=of, author=AUTHORS[number % 3],
        low=low, high=low + 0.1, locked_at=builder.at,
        outcome=builder.random.choice(("hit", "hit", "over")) if number <= past else "",
        score=0.2 if number <= past else None,
    )  # fmt: skip


def run(builder: Builder, number: int) -> Run:
    of = number // RUNS_EACH + 1
    environment_key, noise_key = expected_keys(plan_of(of))
    gain = builder.random.gauss(0.0, 0.01)
    return Run(
        id=number + 1, uid=uid(), experiment_id=of, nonce=uid(), state="valid", place="cpu",
        started_at=builder.at, ended_at=builder.at, environment_key=environment_key,
        noise_key=noise_key, gain=gain, error=0.003, gains={"time_us": [gain, 0.003]},
        seconds=builder.random.uniform(10, 60), money=0.0, receipt_sha256="0" * 64,
    )  # fmt: skip


def weigh_past(book: Book, over: list[Hypothesis]) -> None:
    """What follows from the runs of campaigns that are over."""
    made = [{"row_id": row.id, "runs": RUNS_EACH, "estimate": 0.0, "sigma": 0.01} for row in over]
    with book.writing() as write:
        set_many(write.session, Hypothesis, made)


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


def record_many(book: Book) -> tuple[list[float], int]:
    """Some in their turn, and some pinned until they are decided: a verdict moves its campaign's
    bar, and with it the score of all that wait. The seconds each took, and the verdicts."""
    draw = random.Random(5)
    before = verdicts_changed(book)
    seconds = [record_one(book, draw.gauss(0.1, 0.1)) for _ in range(RECORDED)]
    for number in range(PINNED):
        name = f"E-{EXPERIMENTS - number}"
        book.experiments.more(name, PINNED_RUNS)
        book.experiments.pin(name)
        while book.experiments.get(name).state == "queued":
            seconds.append(record_one(book, draw.gauss(0.3 * (number % 2), 0.002)))
    return seconds, verdicts_changed(book) - before


def verdicts_changed(book: Book) -> int:
    return len(book.log.list(kind="verdict", limit=1_000_000))


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
    seconds, flips = record_many(book)
    middle, worst = statistics.median(seconds), max(seconds)
    print(
        f"record and reorder: median {middle * 1e3:.0f} ms, worst of {len(seconds)} "
        f"{worst * 1e3:.0f} ms, {flips} verdicts changed (bar {RECORD_BAR_S * 1e3:.0f} ms)"
    )
    ok = worst <= RECORD_BAR_S
    for name, call in list_verbs(book).items():
        taken = median_s(call)
        ok = ok and taken <= LIST_BAR_S
        print(f"{name}: {taken * 1e3:.0f} ms (bar {LIST_BAR_S * 1e3:.0f} ms)")
    return ok


if __name__ == "__main__":
    sys.exit(main())
