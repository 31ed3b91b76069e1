"""The big book with all that pages show besides: a campaign whose graph has 5,000 nodes, findings,
histories of beliefs, telemetry, measurements, and runs with receipts and logs.
"""

import json
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from big_book import (
    EXPERIMENTS,
    METRIC,
    OPEN,
    QUEUED,
    TAGS,
    Builder,
    Row,
    build,
    experiment,
    hypothesis,
    past_campaign,
    uid,
)
from desks import Desk
from sqlalchemy import insert

from warpbook.book import run_folder
from warpbook.book.book import Book
from warpbook.book.events import now
from warpbook.book.tables import (
    Belief,
    Campaign,
    Experiment,
    Finding,
    Hypothesis,
    Link,
    Measurement,
    Prediction,
    Run,
    Sample,
    Worker,
)

RESULTS = Path(__file__).parents[1] / "results"
GRAPH = "the graph"
# With its kernels, one an experiment, 5,000 nodes.
CLAIMS, PLANS, FINDINGS = 500, 2000, 500
PAST_FINDINGS = 1500
PAST = EXPERIMENTS - QUEUED
BELIEFS = 40  # of each open hypothesis
JUDGED = 40  # times that each shipped rung was measured
DEVICES = ("cpu", "GPU-0b0e2a52-7d2c-4d3f-9a55-0f6d6a6c1a01")
AGES = ((3600.0, 1.0), (86_400.0, 10.0), (30 * 86_400.0, 60.0))  # seconds, a sample each
LOG_LINES = 20_000
RUNS = 60  # of the experiment that has most


def build_full(book: Book) -> None:
    build(book)
    builder = Builder(book)
    add_graph(builder)
    add_findings(builder)
    add_derived(builder)
    add_measurements(builder)
    add_runs(book)


def add_graph(builder: Builder) -> None:
    number = past_campaign(PAST) + 1
    row = {"id": number, "uid": uid(), "name": GRAPH, "author": "ana", "goal": "all at once"}
    builder.add(Campaign, [row | {"metric": METRIC, "created_at": now()}], "campaign.added")
    first_claim, first_plan = OPEN + PAST + 1, EXPERIMENTS + 1
    claims = [hypothesis(builder, first_claim + i, number) for i in range(CLAIMS)]
    for i, claim in enumerate(claims):
        claim |= {"verdict": ("supported", "refuted", "open")[i % 3], "runs": 3, "estimate": 0.1}
        claim |= {"low": 0.05, "high": 0.15, "belief": (0.97, 0.02, 0.4)[i % 3]}
    builder.add(Hypothesis, claims, "hypothesis.added")
    plans = [experiment(builder, first_plan + i, first_plan + PLANS) for i in range(PLANS)]
    for plan in plans:
        plan["campaign_id"] = number
    builder.add(Experiment, plans, "experiment.added")
    tests = (
        {"id": first_plan + i, "uid": uid(), "experiment_id": first_plan + i, "author": "ana",
         "hypothesis_id": first_claim + i % CLAIMS, "low": 0.05, "high": 0.15, "outcome": "hit",
         "score": 0.1, "locked_at": builder.when(i / PLANS)}
        for i in range(PLANS)
    )  # fmt: skip
    builder.add(Prediction, tests, "prediction.locked")
    runs = (graph_run(builder, 2 * PAST + 1 + i, first_plan + i) for i in range(PLANS))
    builder.add(Run, runs, "run.valid")


def graph_run(builder: Builder, number: int, of: int) -> Row:
    gain = builder.random.gauss(0.1, 0.03)
    return {
        "id": number, "uid": uid(), "experiment_id": of, "nonce": uid(), "state": "valid",
        "place": "cpu", "started_at": builder.at, "ended_at": builder.at,
        "gain": gain, "error": 0.003, "gains": {"time_us": [gain, 0.003]},
        "seconds": 20.0, "money": 0.0, "receipt_sha256": "0" * 64,
    }  # fmt: skip


def add_findings(builder: Builder) -> None:
    """Those of the graph, tied to claims and to each other; and those of what is over."""
    total = FINDINGS + PAST_FINDINGS
    builder.add(Finding, (finding(builder, i) for i in range(total)), "finding.added")
    ties = []
    for i in range(total):
        here = i < FINDINGS
        claim = OPEN + (PAST + 1 + i % CLAIMS if here else 1 + i * 40)
        kind = ("supports", "refutes")[i % 2]
        ties.append({"finding_id": i + 1, "type": kind, "to_kind": "H", "to_id": claim})
        if here and i % 5:
            ties.append({"finding_id": i + 1, "type": "refines", "to_kind": "F", "to_id": i})
    rows = [{"id": i + 1, "uid": uid(), **tie} for i, tie in enumerate(ties)]
    builder.add(Link, rows, "link.added")


def finding(builder: Builder, i: int) -> Row:
    here = i < FINDINGS
    return {
        "id": i + 1, "uid": uid(), "author": "ana", "tags": [TAGS[i % len(TAGS)]],
        "campaign_id": past_campaign(PAST) + 1 if here else past_campaign(i * 40),
        "statement": f"finding {i + 1} of what happens when rows are kept in registers",
        "metric": METRIC, "gain": 0.1, "low": 0.08, "high": 0.12, "runs": [i + 1],
        "created_at": builder.when(i / (FINDINGS + PAST_FINDINGS)),
        "stale": "" if i % 7 else "another torch",
    }  # fmt: skip


def add_derived(builder: Builder) -> None:
    """Beliefs and telemetry, which have no events."""
    with builder.book.store.write("ana") as write:
        connection = write.session.connection()
        made: Any = Belief.__table__
        connection.execute(insert(made), [*beliefs(builder)])
        made = Sample.__table__
        for device in DEVICES:
            connection.execute(insert(made), [*samples(device)])


def beliefs(builder: Builder) -> Iterator[Row]:
    counts = [(number, BELIEFS) for number in range(1, OPEN + 1)]
    counts += [(OPEN + 1 + i, 3) for i in range(PAST + CLAIMS)]
    for number, count in counts:
        for i in range(count):
            yield {
                "hypothesis_id": number, "at": builder.when((i + 1) / (count + 1)), "runs": i,
                "belief": builder.random.random(), "estimate": 0.1, "low": 0.05, "high": 0.15,
                "verdict": "open", "cause": f"R-{number}",
            }  # fmt: skip


def samples(device: str) -> Iterator[Row]:
    """From the oldest on, thinner with age, as the lab keeps them."""
    end = time.time()
    for (age, span), newer in zip(reversed(AGES), (86_400.0, 3600.0, 0.0), strict=True):
        for step in range(int((age - newer) / span)):
            at = end - age + step * span
            wave = 0.5 + 0.5 * math.sin(at / 300)
            yield {
                "at": at, "span_s": span, "device": device, "utilisation": wave,
                "memory_bytes": int(wave * 8e10), "memory_total_bytes": 141 * 10**9,
                "clock_mhz": 1980.0, "memory_clock_mhz": 3201.0, "power_w": 200 + 400 * wave,
                "temperature_c": 40 + 30 * wave, "processes": [],
            }  # fmt: skip


def add_measurements(builder: Builder) -> None:
    """The judgements of `results/`, again and again, their times a little off each time."""
    draw = random.Random(6)
    judged = [
        json.loads(line)["judgement"]
        for file in sorted(RESULTS.glob("*/*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    rows = (
        {"id": 1 + round_ * len(judged) + i, "uid": uid(), "author": "ana", "kind": "judgement",
         "problem": one["problem"], "rungs": [one["rung"]], "workload": "", "device": "cuda",
         "document": jittered(one, draw), "created_at": builder.when(round_ / JUDGED)}
        for round_ in range(JUDGED)
        for i, one in enumerate(judged)
    )  # fmt: skip
    builder.add(Measurement, rows, "measurement.added")


def jittered(judgement: Row, draw: random.Random) -> Row:
    made: Row = json.loads(json.dumps(judgement))
    for outcome in made["outcomes"]:
        if outcome["device"]:
            outcome["device"]["median_us"] *= draw.uniform(0.98, 1.02)
    return made


def add_runs(book: Book) -> None:
    """One experiment with many runs, receipts and a long log; and one run that is under way."""
    desk = Desk(book)
    claim, many = desk.tried("something measured often")
    book.experiments.more(many.name, RUNS)
    log = "".join(f"line {i}: {'x' * 60}\n" for i in range(LOG_LINES))
    for i in range(RUNS):
        run = desk.result(many, 0.3 + 0.001 * i)
        (book.folder / "runs" / run.name / run_folder.LOG).write_text(log, encoding="utf-8")
        if book.experiments.get(many.name).state != "queued":
            book.experiments.more(many.name, RUNS)
    _, going = desk.tried("something under way")
    with book.writing() as write:
        write.session.add(Worker(host="here", pid=1, executor="local", started_at=now()))
    run = desk.start(going)
    folder = book.folder / "runs" / run.name
    folder.mkdir(parents=True)
    (folder / run_folder.LOG).write_text(log, encoding="utf-8")
    book.log.note(f"{claim.name} has {many.name}, which has most runs")
