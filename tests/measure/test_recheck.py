from dataclasses import replace

import pytest

from warpbook.core.comparison import Answer, Comparison
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.receipt import Receipt, Request, Source
from warpbook.measure.recheck import compare_comparisons, compare_judgements, needs_trust

HERE = {"device": "H200", "driver": "580", "torch": "2.11", "triton": "3.6"}


def judgement(us=100.0, status=Status.CORRECT, device="cuda", environment=HERE):
    timing = Timing(us, us, us, 0.99 * us, 1.01 * us, (us,))
    timed = {"device": timing, "call": timing} if status is Status.CORRECT else {}
    outcome = Outcome("64x64", status, **timed)
    return Judgement(
        "softmax", "online", device, status, "why", (outcome,), "abc", environment=environment
    )


@pytest.mark.parametrize("us", [100.0, 104.5, 95.8])
def test_a_time_within_three_percent_of_the_interval_holds_on_a_gpu(us):
    assert compare_judgements(judgement(), judgement(us)) == ([], [])


@pytest.mark.parametrize("us", [106.0, 94.0])
def test_a_time_beyond_that_does_not(us):
    against, _ = compare_judgements(judgement(), judgement(us))
    assert against == [
        f"64x64 took 100 us (99.0-101), takes {us:.{1 if us < 100 else 0}f} us "
        f"({0.99 * us:.{1 if us < 100 else 0}f}-{1.01 * us:.{1 if us < 100 else 0}f})"
    ]


def test_a_cpu_is_given_more_slack():
    assert compare_judgements(judgement(device="cpu"), judgement(115.0, device="cpu"))[0] == []
    assert compare_judgements(judgement(device="cpu"), judgement(119.0, device="cpu"))[0]


def test_another_status_speaks_against_it():
    against, _ = compare_judgements(judgement(), judgement(status=Status.WRONG))
    assert against[0] == "was correct, is wrong: why"
    assert (
        compare_judgements(judgement(status=Status.WRONG), judgement(status=Status.WRONG))[0] == []
    )


def test_on_another_device_only_the_status_is_compared_and_it_says_so():
    elsewhere = HERE | {"device": "B200"}
    against, notes = compare_judgements(judgement(), judgement(50.0, environment=elsewhere))
    assert against == []
    assert notes == ["made on H200, run again on B200: times are not compared"]
    wrong = judgement(status=Status.WRONG, environment=elsewhere)
    assert compare_judgements(judgement(), wrong)[0]


def test_being_skipped_on_another_device_is_only_noted():
    skipped = judgement(status=Status.SKIPPED, environment=HERE | {"device": "a CPU"})
    against, notes = compare_judgements(judgement(), skipped)
    assert against == []
    assert "was correct, is skipped: why" in notes


def test_other_software_is_noted():
    _, notes = compare_judgements(judgement(), judgement(environment=HERE | {"torch": "2.13"}))
    assert notes == ["torch was 2.11, is 2.13"]


COMPARISON = Comparison(
    problem="softmax",
    workload="64x64",
    device="cuda",
    a="passes",
    b="online",
    answer=Answer.FASTER,
    ratio=0.8,
    low=0.79,
    high=0.81,
    noise=0.01,
    clock="device",
    a_us=(1.0,),
    b_us=(0.8,),
    a_sha256="a",
    b_sha256="b",
    environment=HERE,
)


def test_a_comparison_holds_with_the_same_answer_and_ratio():
    assert compare_comparisons(COMPARISON, COMPARISON) == ([], [])
    unsure = replace(COMPARISON, answer=Answer.CANNOT_TELL)
    assert "was faster" in compare_comparisons(COMPARISON, unsure)[0][0]
    far = replace(COMPARISON, ratio=0.5, low=0.49, high=0.51)
    assert "the ratio was" in compare_comparisons(COMPARISON, far)[0][0]
    elsewhere = replace(far, environment=HERE | {"device": "B200"})
    assert compare_comparisons(COMPARISON, elsewhere)[0] == []


def receipt(problem, *sources):
    request = Request(problem, "aa", sources, None, "cuda", False, 60.0)
    return Receipt("2026-01-04T10:00:00+00:00", request, judgement(), None, None)


def test_only_code_that_ships_with_warpbook_needs_no_trust():
    shipped, carried = Source("fused", "aa"), Source("mine", "bb", "import os")
    assert needs_trust(receipt("softmax", shipped)) is None
    assert "the source of mine" in needs_trust(receipt("softmax", shipped, carried))
    assert "/tmp/evil" in needs_trust(receipt("/tmp/evil", shipped))
