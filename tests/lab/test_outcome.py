"""What a measuring process says, as the outcome of a run."""

import json
import math

import pytest

from warpbook.core.codec import encode
from warpbook.core.comparison import Answer, Comparison
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.run import Arm, Plan, RunStatus
from warpbook.core.statistics import ratio_interval
from warpbook.lab import outcome

KERNEL = Plan("kernel", "64x64", "cpu", Arm("a", "a" * 64, "online"), Arm("b", "b" * 64, "mine"),
              (KERNEL_TIME,), "softmax")  # fmt: skip
A_US = tuple(10 + 0.01 * i for i in range(20))
B_US = tuple(8 + 0.01 * i for i in range(20))


def comparison(**more):
    ratio, low, high = ratio_interval(A_US, B_US)
    made = Comparison(
        "softmax", "64x64", "cpu", "online", "mine", Answer.FASTER, ratio, low, high, 0.01, "call",
        A_US, B_US, more.get("a_sha256", "a" * 64), "b" * 64, environment={"device": "a cpu"},
    )  # fmt: skip
    return json.dumps(encode(made)).encode()


def test_a_comparison_gives_the_judge_s_gain_and_its_standard_error():
    found = outcome.read(KERNEL, 0, comparison(), "")
    ratio, low, high = ratio_interval(A_US, B_US)
    (samples,) = found.metrics
    assert found.status is RunStatus.MEASURED
    assert (samples.baseline, samples.change) == (A_US, B_US)
    assert samples.gain == pytest.approx(-math.log(ratio))
    assert samples.gain > 0
    assert samples.error == pytest.approx(math.log(high / low) / 2 / 2.576)
    assert found.environment == {"device": "a cpu"}
    assert found.comparison["answer"] == "faster"


def test_a_rung_that_changed_since_it_was_planned_is_no_measurement():
    found = outcome.read(KERNEL, 0, comparison(a_sha256="c" * 64), "")
    assert found.status is RunStatus.FAILED
    assert "online is no longer what was planned" in found.reason


@pytest.mark.parametrize(
    ("exit_status", "stdout", "last_lines", "status", "said"),
    [
        (1, b'{"disqualified": "mine", "status": "wrong", "reason": "row 3"}', "",
         RunStatus.DISQUALIFIED, "mine is wrong: row 3"),
        (1, b'{"disqualified": "wrong", "status": "wrong", "reason": "wrong: row 3"}', "",
         RunStatus.DISQUALIFIED, "wrong is wrong: row 3"),
        (1, b'{"disqualified": "change", "status": "crashed", "reason": "exit 1"}', "",
         RunStatus.DISQUALIFIED, "change crashed: exit 1"),
        (1, b'{"invalid": "the GPU was busy"}', "", RunStatus.INVALID, "the GPU was busy"),
        (1, b"{}", "", RunStatus.FAILED, "said no, and not why"),
        (2, b"", "noise\nwarpbook: no 'w'\nhere", RunStatus.FAILED, "no 'w'\nhere"),
        (3, b"", "warpbook: no CUDA device", RunStatus.FAILED, "no CUDA device"),
        (0, b"not JSON", "", RunStatus.FAILED, "not JSON"),
        (0, b"[1]", "", RunStatus.FAILED, "no JSON object"),
        (0, b'{"problem": "softmax"}', "", RunStatus.FAILED, "no kernel document"),
    ],
)  # fmt: skip
def test_everything_else_says_what_is_wrong(exit_status, stdout, last_lines, status, said):
    found = outcome.read(KERNEL, exit_status, stdout, last_lines)
    assert found.status is status
    assert said in found.reason
    assert found.metrics == ()
