"""A small book that has something on every page: claims of every verdict, experiments and runs in
every state, kernels with receipts, findings, measurements, telemetry and words nobody should trust.
"""

import hashlib
import json
import math
import time
from datetime import date, timedelta
from pathlib import Path

import shelves
from book_desk import make_plan

from warpbook.book import run_folder, telemetry
from warpbook.book.events import now
from warpbook.book.keys import here
from warpbook.book.tables import Worker
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.run import Arm, Plan, RunStatus
from warpbook.core.statistics import ratio_interval
from warpbook.lab.outcome import kernel

# Every page, and what of it is worth a look of its own; the names are those that `fill` returns.
PAGES = {
    "now": "/",
    "campaigns": "/campaigns",
    "campaign": "/campaigns/rows",
    "inbox": "/campaigns/inbox",
    "supported": "/hypotheses/{supported}",
    "refuted": "/hypotheses/{refuted}",
    "findings": "/findings",
    "finding": "/findings/{finding}",
    "experiments": "/experiments",
    "measured": "/experiments/{measured}",
    "done": "/experiments/{done}",
    "failed": "/experiments/{failed}",
    "compare": "/experiments/compare?of={done},{measured}",
    "run": "/runs/{run}",
    "under way": "/runs/{running}",
    "graph": "/graph?campaign=inbox",
    "neighbourhood": "/graph?node={supported}",
    "kernels": "/kernels",
    "ladder": "/kernels/softmax",
    "calibration": "/calibration",
    "log": "/log",
    "journal": "/journal",
    "day": "/journal/{day}",
    "reading": "/reading",
    "item": "/reading/{item}",
    "quiz": "/quiz",
    "asked": "/quiz/ask?topic=gpu",
    "cards": "/quiz/cards",
    "card": "/quiz/cards/busy0002.1",
    "course": "/quiz/course/softmax",
    "search": "/search?text=softmax",
}
RESULTS = Path(__file__).parents[2] / "results"
HOSTILE = "<script>alert(1)</script> & \x1b[31mred\x1b[0m </textarea><img src=x onerror=alert(2)>"
MINE = '''"""Rows at a time

A piece of the matrix at a time.
"""


def softmax(x, out):
    for i in range(0, len(x), 32):
        out[i : i + 32] = x[i : i + 32].softmax(dim=-1)
'''


def fill(desk):
    """What is where: names by what they are."""
    book = desk.book
    book.campaigns.add("rows", goal="softmax at 1.5x", budget_s=3600.0, goal_gain=math.log(1.5))
    measured = kernels(desk)
    supported, done = desk.tried("fewer copies")
    book.experiments.more(done.name, 6)
    run = desk.results(done, 0.25, 0.26, 0.27, 0.26)[-1]
    (book.folder / "runs" / run.name / run_folder.LOG).write_text(f"{HOSTILE}\n" * 30)
    refuted, over = desk.tried("more threads")
    book.experiments.more(over.name, 6)
    desk.results(over, 0.0, 0.001, -0.001, 0.0, 0.0)
    _, wrong = desk.tried("a wrong one")
    desk.ended(wrong, RunStatus.DISQUALIFIED)
    _, broken = desk.tried("a broken one")
    desk.ended(broken, RunStatus.FAILED, HOSTILE)
    for number in range(4):
        desk.tried(f"idea {number}", tags=["memory"])
    pinned = desk.tried(HOSTILE)[1]
    book.experiments.pin(pinned.name)
    withdrawn = desk.claim("given up")
    book.hypotheses.withdraw(withdrawn.name)
    finding = findings(desk, supported, refuted, done)
    measurements(book)
    under_way = running(desk)
    devices(book)
    book.log.note(HOSTILE)
    day = days(book.folder / "journal", done)
    return {
        "supported": supported.name, "refuted": refuted.name, "done": done.name,
        "run": run.name, "running": under_way.name, "finding": finding.name,
        "failed": broken.name, "measured": measured.name,
        "day": day, "item": shelves.busy(book.folder),
    }  # fmt: skip


def days(folder, done):
    """Two days with a gap between them, and one whose front matter cannot be read; the name of the
    one that has most on it."""
    today = date.today()
    folder.mkdir()
    full = today - timedelta(days=1)
    (folder / f"{full}.md").write_text(
        f"---\ntrack: [gpu, maths]\nminutes: 90\nkernels: [softmax]\nruns: [{done.name}]\n---\n"
        f"# Day 22/365 (T - 9)\n\nrun:{done.name} and kernel:softmax, at 5x over PyTorch.\n\n"
        f"82% of cuBLAS, {HOSTILE}\n\n- [ ] try cp.async\n- [x] read on\n- [-] {HOSTILE}\n\n"
        "```cuda\nx[threadIdx.x] += 1;\n```\n\nQ: What is a warp?\nA: 32 threads.\n\nQ: Why 32?\n"
    )
    (folder / f"{today - timedelta(days=5)}.md").write_text("tomorrow: measure again\n")
    (folder / f"{today - timedelta(days=9)}.md").write_text("---\ntrack: [\n---\nsoftmax\n")
    return str(full)


def kernels(desk):
    """A file of the user's own against a rung, measured, with samples and a floor; and one that
    waits."""
    claim = desk.claim(
        "rows at a time are faster", metric=KERNEL_TIME, because="a row stays in the cache",
        campaign="rows", tags=["memory"],
    )  # fmt: skip
    plan = kernel_plan("rows.py", text=MINE)
    made = desk.experiment(claim, plan=plan, campaign="rows")
    again = desk.experiment(claim, plan=kernel_plan("fused"), campaign="rows")
    desk.book.experiments.pin(again.name)
    for gain in (0.31, 0.33, 0.32):
        run = desk.start(made)
        found = kernel(plan, comparison(plan, gain))
        receipt = desk.receipt(run, metrics=found.metrics, comparison=found.comparison)
        desk.record(run, receipt)
    return made


def kernel_plan(change, text=None):
    arms = [
        Arm(name, hashlib.sha256(name.encode()).hexdigest(), name.removesuffix(".py"), text=said)
        for name, said in (("passes", None), (change, text))
    ]
    return Plan("kernel", "1024x1024-fp32", "cpu", *arms, (KERNEL_TIME,), problem="softmax")


def comparison(plan, gain):
    """As the judge makes it, of times with a little noise."""
    base = [100.0 + i % 3 + 0.1 * (i % 5) for i in range(32)]
    change = [math.exp(-gain) * (100.0 + i % 4 + 0.1 * (i % 7)) for i in range(32)]
    ratio, low, high = ratio_interval(base, change)
    return {
        "problem": plan.problem, "workload": plan.workload, "device": "cpu",
        "a": plan.baseline.label, "b": plan.change.label, "answer": "faster", "ratio": ratio,
        "low": low, "high": high, "noise": 0.01, "clock": "host", "a_us": base, "b_us": change,
        "a_sha256": plan.baseline.sha256, "b_sha256": plan.change.sha256, "notes": [],
        "machine": {}, "environment": here("cpu"), "floor": {"us": 40.0, "binds": "memory"},
    }  # fmt: skip


def findings(desk, supported, refuted, copies):
    book = desk.book
    book.experiments.confirm(supported.name)
    desk.results(copies, 0.25, 0.26, 0.27)
    first = book.findings.add("copies cost a quarter", [("supports", supported.name)])
    book.findings.add("threads do not help", [("refutes", refuted.name)], tags=["threads"])
    book.findings.add(HOSTILE, [("refutes", refuted.name), ("supersedes", first.name)])
    return first


def measurements(book):
    """Judgements from a real GPU, as `results/` keeps them."""
    for problem in ("softmax", "vector_add"):
        lines = (RESULTS / "nvidia-h200" / f"{problem}.jsonl").read_text().splitlines()
        for line in lines[:6]:
            found = json.loads(line)["judgement"]
            book.measurements.add("judgement", problem, [found["rung"]], "", "cuda", found)


def running(desk):
    claim = desk.claim("it ends some day", because=HOSTILE)
    made = desk.experiment(claim, plan=make_plan("slow"))
    with desk.book.writing() as write:
        started = Worker(
            host="here", pid=1, executor="local", started_at=now(), heartbeat_at=time.time()
        )
        write.add(started, "worker.started", "{name} on here")
    run = desk.start(made)
    folder = desk.book.folder / "runs" / run.name
    folder.mkdir(parents=True)
    (folder / run_folder.LOG).write_text(f"importing\n{HOSTILE}\n")
    (folder / run_folder.STEPS).write_text(
        "".join(json.dumps({"at": now(), "text": text}) + "\n" for text in ("noise", HOSTILE))
    )
    return run


def devices(book):
    now_s = time.time()
    rows = [
        {"at": now_s - 90 + i, "span_s": 1.0, "device": device, "utilisation": (i % 10) / 10,
         "memory_bytes": 10**10, "memory_total_bytes": 2 * 10**10, "clock_mhz": 1500.0,
         "memory_clock_mhz": 3000.0, "power_w": 300.0, "temperature_c": 60.0, "processes": []}
        for device in ("cpu", f"GPU-{hashlib.sha256(b'one').hexdigest()[:12]}")
        for i in range(90)
    ]  # fmt: skip
    telemetry.record(book, rows)
