"""A book of 100,000 experiments, 1,000 open hypotheses and 10,000 experiments in the queue, for the
bars on size. Rows go in by the thousand, each with its event in the chain. A minute or two.
"""

import hashlib
import math
import random
import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import insert

from warpbook.book import evaluation
from warpbook.book.book import Book
from warpbook.book.events import Line, append_all, now
from warpbook.book.keys import expected_keys
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
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.run import Arm, Plan

EXPERIMENTS, QUEUED, OPEN = 100_000, 10_000, 1_000
CAMPAIGN_SIZE = 300  # hypotheses of a campaign that is over
RUNS_EACH = 2
DELTA = math.log(1.03)
METRIC = encode(KERNEL_TIME)
AUTHORS = ("ana", "ben", "an agent")
TAGS = ("memory", "tiling", "registers", "launches", "precision")
SPAN = timedelta(days=200)  # from the first experiment to the last
Row = dict[str, Any]


class Builder:
    """Inserts rows in bulk, each with its event in the chain."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.random = random.Random(4)
        self.at = now()
        self.began = datetime.now(UTC) - SPAN

    def when(self, share: float) -> str:
        """A time between the first experiment and the last."""
        return (self.began + share * SPAN).isoformat(timespec="microseconds")

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
        "metric": METRIC, "direction": 1, "delta": DELTA, "tags": [TAGS[number % len(TAGS)]],
        "created_at": builder.when(number / (OPEN + EXPERIMENTS)),
        "expected_low": low, "expected_high": low + 0.1,
        "noise_key": keys_of(plan_of(number).workload),
    }  # fmt: skip


def past_hypothesis(builder: Builder, i: int) -> Row:
    """Of a campaign that is over, refuted by two runs of its one experiment."""
    seen = {
        "verdict": "refuted", "runs": RUNS_EACH, "estimate": 0.0, "low": -0.01, "high": 0.01,
        "sigma": 0.01, "belief": 0.01,
    }  # fmt: skip
    return hypothesis(builder, OPEN + i + 1, past_campaign(i)) | seen


def past_campaign(i: int) -> int:
    """Of the hypothesis and the experiment that are the i-th of what is over, from 0."""
    return 3 + i // CAMPAIGN_SIZE


def experiment(builder: Builder, number: int, past: int) -> Row:
    plan = plan_of(number)
    done = number <= past
    return {
        "id": number, "uid": uid(), "campaign_id": past_campaign(number - 1) if done else 2,
        "author": AUTHORS[number % 3], "kind": "kernel",
        "title": f"idea{number} against tiled on softmax {plan.workload}", "plan": encode(plan),
        "a_sha256": plan.baseline.sha256, "b_sha256": plan.change.sha256,
        "workload": plan.workload, "device": "cpu", "environment_key": expected_keys(plan)[0],
        "noise_key": keys_of(plan.workload), "state": "done" if done else "queued",
        "created_at": builder.when(number / EXPERIMENTS), "queued_at": builder.at,
        "runs_wanted": RUNS_EACH if done else 3, "runs_valid": RUNS_EACH if done else 0,
        "cost_s": builder.random.choice((20.0, 30.0, 60.0)),
    }  # fmt: skip


def prediction(builder: Builder, number: int, past: int) -> Row:
    of = OPEN + number if number <= past else (number - past - 1) % OPEN + 1
    low = builder.random.uniform(0.02, 0.3)
    came = {"outcome": builder.random.choice(("hit", "hit", "over")), "score": 0.2}
    return {
        "id": number, "uid": uid(), "experiment_id": number, "hypothesis_id": of,
        "author": AUTHORS[number % 3], "low": low, "high": low + 0.1,
        "locked_at": builder.when(number / EXPERIMENTS),
    } | (came if number <= past else {})  # fmt: skip


def run(builder: Builder, number: int) -> Row:
    of = number // RUNS_EACH + 1
    gain = builder.random.gauss(0.0, 0.01)
    at = builder.when(of / EXPERIMENTS)
    return {
        "id": number + 1, "uid": uid(), "experiment_id": of, "nonce": uid(), "state": "valid",
        "place": "cpu", "started_at": at, "ended_at": at,
        "environment_key": f"{of:016x}", "noise_key": keys_of(plan_of(of).workload),
        "gain": gain, "error": 0.003, "gains": {"time_us": [gain, 0.003]},
        "seconds": builder.random.uniform(10, 60), "money": 0.0, "receipt_sha256": "0" * 64,
    }  # fmt: skip
