"""Builders for kernels in a book: judgements as `ladder` records them, and runs of two rungs."""

import math
from dataclasses import replace

from book_desk import FAST

from warpbook.core.codec import encode
from warpbook.core.cost import Cost
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.judgement import Judgement, Outcome, Status
from warpbook.core.roofs import Peaks, Roofs, floor
from warpbook.core.run import Arm, MetricSamples, Plan
from warpbook.core.statistics import ratio_interval, summarise
from warpbook.kernels.library import find_rung, read_outline

WORKLOAD = "8192x8192-fp32"
GPU = "NVIDIA Test"
COST = Cost(10**8, 10**8, {"fp32": 1e8})
ROOFS = Roofs("cuda", 2e12, 2e12, 2e12, {"fp32": 5e13}, 1.0, Peaks(4e12))


def judgement(rung, us=None, workload=WORKLOAD, device=GPU, status=Status.CORRECT, **more):
    """Correct in `us`; or without a time, for the reason in `more`."""
    least = floor(COST, ROOFS)
    timed = {"device": us and summarise([us] * 9), "floor": least, "cost": COST}
    reason = more.pop("reason", "")
    outcome = Outcome(workload, status, reason, 1.5, 4.0, **(timed if us else {}))
    return Judgement(
        "softmax", rung, "cuda", status, reason, (outcome,), more.pop("sha256", sha256_of(rung)),
        environment={"device": device, "torch": "2.11"}, **more,
    )  # fmt: skip


def sha256_of(rung):
    outline = read_outline("softmax")
    return find_rung(outline, rung).sha256 if rung in outline.rungs else rung * 8


def measured(book, judged, problem="softmax"):
    return book.measurements.add(
        "judgement", problem, (judged.rung,), WORKLOAD, judged.device, encode(judged)
    )


def kernel_run(desk, change="online", baseline="fused", us=1000.0, text=None, **comparison):
    """A run on this machine's CPU in which the change takes `us` and is faster by a third."""
    arms = [Arm(name, sha256_of(name), rung=name) for name in (baseline, change)]
    if text:
        arms[1] = replace(arms[1], text=text)
    plan = Plan("kernel", "1024x1024-fp32", "cpu", *arms, (KERNEL_TIME,), problem="softmax")
    known = [e for e in desk.book.experiments.list() if e.b_sha256 == arms[1].sha256]
    run = desk.start(known[0] if known else desk.experiment(plan=plan))
    b_us = tuple(us + 0.1 * (i % 3) for i in range(16))
    a_us = tuple(time * math.exp(FAST) for time in b_us)
    gain = -math.log(ratio_interval(a_us, b_us)[0])
    document = {
        "workload": plan.workload, "device": "cpu", "a": baseline, "b": change,
        "a_us": [*a_us], "b_us": [*b_us], "a_sha256": arms[0].sha256, "b_sha256": arms[1].sha256,
        **comparison,
    }  # fmt: skip
    samples = MetricSamples(KERNEL_TIME, a_us, b_us, gain, 0.003)
    return desk.record(run, replace(desk.receipt(run), metrics=(samples,), comparison=document))
