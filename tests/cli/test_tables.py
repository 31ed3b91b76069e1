"""Judgements, ladders and comparisons as people read them."""

import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from rich.console import Console

from warpbook.cli.compare import sentence, show_comparison
from warpbook.cli.doctor import show_noise, show_rows
from warpbook.cli.judgements import exit_status, judgement_json, show_judgement
from warpbook.cli.ladder import climb, remarks, show_ladder
from warpbook.core.comparison import Answer, Comparison
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.roofs import Floor
from warpbook.core.workload import Workload
from warpbook.kernels.rung import Rung
from warpbook.measure.doctor import Row
from warpbook.measure.noise import NoiseReport

PROBLEM = SimpleNamespace(
    name="softmax",
    workloads=(
        Workload("8192x8192-fp32", (8192, 8192), timed_on=("cuda", "cpu")),
        *(Workload(f"odd{n}", (n,)) for n in range(23)),
    ),
)
CAUGHT = tuple(Outcome(f"odd{n}", Status.CORRECT, error=1.0, budget=4.0) for n in range(23))


def timing(us):
    return Timing(us, 0.99 * us, 1.01 * us, 0.995 * us, 1.005 * us, (us,))


def timed(us, **changes):
    outcome = Outcome(
        "8192x8192-fp32",
        Status.CORRECT,
        error=1.3,
        budget=4.0,
        device=timing(us),
        call=timing(us + 30),
        floor=Floor(124.4, "memory"),
        fraction=124.4 / us,
    )
    return replace(outcome, **changes)


def judged(*outcomes, status=Status.CORRECT, device="cuda", reason="", rung="online"):
    return Judgement("softmax", rung, device, status, reason, outcomes, "abc")


def rung(name, gain=None):
    return Rung(name, Path(name), f"The idea of {name}", "", "triton", gain, "abc")


def printed(show, *arguments):
    stream = io.StringIO()
    show(Console(file=stream, width=100, markup=False, highlight=False), *arguments)
    return stream.getvalue()


def test_a_timed_workload_shows_both_clocks_its_floor_and_what_is_left():
    text = printed(show_judgement, PROBLEM, judged(*CAUGHT, timed(148.2)), "One pass")
    row = next(line for line in text.splitlines() if "8192x8192-fp32" in line)
    shown = ("correct", "1.30x (4x)", "148 us (147-149)", "178 us", "124 us memory", "84%")
    assert all(cell in row for cell in shown)
    assert row.rstrip().endswith("23.8 us")
    assert "23 workloads that exist to catch mistakes: all right" in text
    assert max(map(len, text.splitlines())) <= 100


def test_on_the_cpu_there_is_one_clock():
    text = printed(show_judgement, PROBLEM, judged(timed(148.2), device="cpu"), "One pass")
    assert "call" not in text
    assert "time (interval)" in text


def test_notes_say_which_workload_they_are_about():
    noted = timed(148.2, notes=("the power cap lowered the clock while it ran",), allocation_us=3.1)
    text = printed(show_judgement, PROBLEM, judged(noted), "One pass")
    assert "note on 8192x8192-fp32: the power cap lowered the clock while it ran" in text
    assert "note on 8192x8192-fp32: allocating its output takes 3.10 us, not counted" in text


def test_a_wrong_rung_names_the_workload_and_the_reason_a_few_times_at_most():
    wrong = [Outcome(f"odd{n}", Status.WRONG, f"error {n}x") for n in range(9)]
    judgement = judged(*wrong, *CAUGHT[9:], status=Status.WRONG, reason="error 0x")
    text = printed(show_judgement, PROBLEM, judgement, "One pass")
    assert "23 workloads that exist to catch mistakes: 14 right, 9 not" in text
    assert "wrong on odd0: error 0x" in text
    assert "and on 5 more" in text
    assert exit_status([judgement]) == 1


def test_a_rung_that_could_not_be_loaded_has_its_reason_alone():
    outcome = Outcome("", Status.CRASHED, "while it was loaded: ImportError")
    text = printed(show_judgement, PROBLEM, judged(outcome, status=Status.CRASHED), "One pass")
    assert "crashed: while it was loaded: ImportError" in text
    assert "workload" not in text


def test_skipped_is_no_failure_and_invalid_is():
    assert exit_status([judged(status=Status.CORRECT), judged(status=Status.SKIPPED)]) == 0
    for status in (Status.INVALID, Status.SUSPECT, Status.TIMED_OUT):
        assert exit_status([judged(status=Status.CORRECT), judged(status=status)]) == 1


def test_json_has_the_microseconds_left():
    document = judgement_json(judged(timed(148.2)))
    assert round(document["outcomes"][0]["left_us"], 1) == 23.8


def ladder(*steps):
    rungs = [rung(name, gain) for name, gain, _ in steps]
    return climb(rungs, [judgement for _, _, judgement in steps], "8192x8192-fp32")


def test_gain_and_expectation_pass_over_rungs_without_a_time():
    skipped = judged(status=Status.SKIPPED)
    steps = ladder(
        ("passes", None, judged(timed(400.0))),
        ("online", 1.5, skipped),
        ("fused", 2.0, judged(timed(200.0))),
        ("split", 1.1, judged(timed(160.0))),
    )
    assert [step.over for step in steps] == [None, None, "passes", "fused"]
    assert [step.gain for step in steps] == [None, None, 2.0, 1.25]
    assert [step.expected for step in steps] == [None, None, 3.0, 1.1]


def test_the_ladder_is_one_table_with_reasons_under_it():
    reason = "runs in Triton's interpreter here"
    large = Outcome("odd9", Status.SKIPPED, "too many programs")
    interpreted = judged(*CAUGHT, large, Outcome("8192x8192-fp32", Status.SKIPPED, reason))
    steps = ladder(
        ("passes", None, judged(timed(400.0))), ("a", 1.5, interpreted), ("b", 1.5, interpreted)
    )
    session = SimpleNamespace(problem=PROBLEM, device="cuda")
    text = printed(show_ladder, session, "8192x8192-fp32", steps)
    assert "softmax 8192x8192-fp32 on cuda" in text
    assert f"a, b: skipped on 8192x8192-fp32: {reason}" in text
    assert "floor: 124 us, set by memory" in text
    assert max(map(len, text.splitlines())) <= 100
    assert remarks(steps[:1]) == {}
    assert "odd" not in text


def comparison(answer, ratio, low, high):
    samples = tuple(100.0 + n for n in range(10))
    return Comparison(
        problem="softmax",
        workload="8192x8192-fp32",
        device="cuda",
        a="passes",
        b="online",
        answer=answer,
        ratio=ratio,
        low=low,
        high=high,
        noise=0.011,
        clock="device",
        a_us=samples,
        b_us=samples,
        a_sha256="a",
        b_sha256="b",
        notes=("online allocates",),
    )


def test_a_comparison_is_one_sentence_and_a_small_table():
    slower = comparison(Answer.SLOWER, 1.21, 1.18, 1.24)
    assert sentence(slower) == (
        "online is slower than passes on 8192x8192-fp32, cuda: its time is 1.21x that of passes "
        "(99% interval 1.18x to 1.24x; noise here 1.1%)."
    )
    assert sentence(comparison(Answer.CANNOT_TELL, 1.0, 0.99, 1.01)).startswith(
        "Cannot tell online from passes on"
    )
    text = printed(show_comparison, slower)
    assert "device time (interval)" in text
    assert "note: online allocates" in text


def test_the_doctors_table_says_what_became_of_each_row():
    rows = [
        Row("cheat", "zeros", "Fills with zeros", "cpu", "wrong", "", "", True, "over budget"),
        Row("cheat", "cached", "Keeps", "cpu", "correct", "2 us", "3 us", False, "looks faster"),
        Row("cheat", "stream", "A side stream", "cpu", "", "", "", None, "does not apply to cpu"),
    ]
    text = " ".join(printed(show_rows, rows).split())
    assert "zeros Fills with zeros wrong beaten over budget" in text
    assert "slipped" in text
    assert "looks faster: 2 us against 3 us" in text
    assert text.endswith("cheat beaten: 1, cheat slipped through: 1, cheat n/a: 1")


def test_noise_is_told_beside_its_bars():
    alike = {"faster": 2, "slower": 3, "cannot tell": 195}
    slowed = {"faster": 0, "slower": 44, "cannot tell": 6}
    text = printed(show_noise, NoiseReport("cpu", "steady", 0.1, alike, slowed, refused=7))
    assert "steady on cpu: does not hold" in text
    assert "200 comparisons: 5 called faster or slower (at most 6)" in text
    assert "slowed by 10%, 50 comparisons: 44 called slower (at least 45)" in text
    assert "7 comparisons were made again" in text
