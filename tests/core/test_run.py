import json
from dataclasses import replace

import pytest

from warpbook.core.codec import decode, encode
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.run import (
    ORDER,
    Arm,
    MetricSamples,
    Plan,
    RunReceipt,
    RunStatus,
    environment_key,
)

PLAN = Plan(
    kind="kernel",
    workload="4096x1024-fp32",
    device="cpu",
    baseline=Arm("online", "aa", rung="online"),
    change=Arm("mine.py", "bb", rung="mine", text="def softmax(x): ..."),
    metrics=(KERNEL_TIME,),
    problem="softmax",
    problem_sha256="cc",
)
HERE = {"device": "Some CPU", "driver": "580.65.06", "torch": "2.11.0+cu130"}
RECEIPT = RunReceipt(
    run="R-1",
    nonce="n",
    kind="kernel",
    status=RunStatus.MEASURED,
    reason="",
    started="2026-01-04T10:00:00+00:00",
    ended="2026-01-04T10:00:09+00:00",
    seconds=9.0,
    metrics=(MetricSamples(KERNEL_TIME, (2.0, 2.0), (1.0, 1.0), 0.69, 0.01),),
    order=ORDER,
    plan=PLAN,
    environment=HERE,
    capture={"git": {"commit": "abc", "dirty": True}, "packages": ["numpy 2.0"]},
    comparison={"ratio": 0.5},
)


def test_a_receipt_comes_back_from_json_as_it_was():
    assert decode(RunReceipt, json.loads(json.dumps(encode(RECEIPT)))) == RECEIPT


def test_only_a_measured_run_holds_samples():
    with pytest.raises(ValueError, match="disqualified run cannot hold samples"):
        replace(RECEIPT, status=RunStatus.DISQUALIFIED)


@pytest.mark.parametrize(
    "here",
    [
        HERE | {"driver": "580.99"},
        HERE | {"torch": "2.11.1"},
        HERE | {"python": "3.13.1", "warpbook": "9"},
    ],
)
def test_small_changes_around_a_run_leave_its_key(here):
    assert environment_key(here, PLAN) == environment_key(HERE, PLAN)


@pytest.mark.parametrize(
    ("here", "plan"),
    [
        (HERE | {"device": "Another CPU"}, PLAN),
        (HERE | {"driver": "590.1"}, PLAN),
        (HERE | {"torch": "2.12.0"}, PLAN),
        (HERE, replace(PLAN, workload="1x1-fp32")),
        (HERE, replace(PLAN, problem_sha256="dd")),
        (HERE, replace(PLAN, baseline=replace(PLAN.baseline, sha256="dd"))),
        (HERE, replace(PLAN, change=replace(PLAN.change, sha256="dd"))),
        (HERE, replace(PLAN, baseline=PLAN.change, change=PLAN.baseline)),
    ],
)
def test_what_evidence_rests_on_changes_the_key(here, plan):
    assert environment_key(here, plan) != environment_key(HERE, PLAN)
