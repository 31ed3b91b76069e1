"""Plans from what is typed, and what is taken where nothing was."""

import pytest

from warpbook.core.effect import KERNEL_TIME, Metric, parse_metric
from warpbook.core.errors import BadInput
from warpbook.core.machine import environment
from warpbook.core.standing import Mark
from warpbook.kernels.library import find_rung, read_outline
from warpbook.lab.plans import Asked, make_plan
from warpbook.measure import standing

MINE = "def double(x):\n    return x + x\n"
SLOW = "def double(x):\n    return (x * 2).clone()\n"
TRITON = "LANGUAGE = 'triton'\n\n\ndef double(x):\n    return x * 2\n"
RATE = parse_metric("tokens_per_s:higher")


def planned(**asked):
    return make_plan(Asked(**asked), (KERNEL_TIME,))


def commands(metrics=(RATE,), **asked):
    return make_plan(Asked(**{"command": "b", "baseline": "a", "device": "none"} | asked), metrics)


def taken(defaults):
    return {default.name: (default.value, default.why) for default in defaults}


@pytest.fixture
def mine(double):
    return str(double.write("mine.py", MINE))


def test_a_file_is_held_against_the_highest_rung_that_has_a_time_on_the_device(double, mine):
    double.with_ladder(slow=SLOW, plain=SLOW + "#\n", fancy=TRITON)
    plan, defaults = planned(change=mine, problem=str(double), device="cpu")
    assert plan.baseline.rung == "plain"
    assert plan.baseline.text is None
    assert plan.change.text == MINE
    assert (plan.workload, plan.device) == ("1000", "cpu")
    assert taken(defaults)["baseline"] == ("plain", "the highest rung; none has a time here yet")


def test_marks_of_this_machine_decide_which_rung_is_fastest(double, mine):
    double.with_ladder(slow=SLOW, plain=SLOW + "#\n")
    mark(double, "slow", 10.0)
    mark(double, "plain", 20.0)
    plan, defaults = planned(change=mine, problem=str(double), device="cpu")
    assert plan.baseline.rung == "slow"
    assert "fastest rung here: 10.0 us" in taken(defaults)["baseline"][1]


def mark(double, name, us):
    outline = read_outline(str(double))
    sha256 = find_rung(outline, name).sha256
    here = environment("cpu")
    found = Mark(
        "2026-01-04T00:00:00+00:00", "double", name, False, "1000", us, us, us, None, None, sha256,
        here,
    )  # fmt: skip
    standing.append(standing.path_of(outline, here["device"]), standing.to_line(found))


def test_what_was_typed_is_no_default(double, mine):
    other = str(double.write("other.py", SLOW))
    asked = {"workload": "1000", "against": other, "device": "cpu"}
    plan, defaults = planned(change=mine, problem=str(double), **asked)
    assert defaults == []
    assert plan.baseline.text == SLOW


def test_a_gpu_need_not_be_on_this_machine(double, mine, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    plan, defaults = planned(change=mine, problem=str(double), device="cuda")
    assert plan.device == "cuda"
    assert "a worker that has one" in taken(defaults)["device"][1]


@pytest.mark.parametrize("against", ["R-57", "r57", "M-3", "3.5", "12us", "1.3x", "40 %"])
def test_a_baseline_from_the_past_is_refused(double, mine, against):
    with pytest.raises(BadInput, match="both arms run in turns"):
        planned(change=mine, problem=str(double), against=against)
    with pytest.raises(BadInput, match="both arms run in turns"):
        commands(baseline=against)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({}, "nothing to try"),
        ({"change": "mine.py"}, "--on PROBLEM"),
        ({"change": "mine.py", "problem": "softmax", "baseline": "a"}, "--baseline goes with"),
        ({"command": "b"}, "needs --baseline"),
        ({"command": "b", "baseline": "b"}, "are the same"),
        ({"command": " ", "baseline": "b"}, "--command is empty"),
        ({"command": "b", "baseline": "a", "problem": "softmax"}, "are for kernels"),
        ({"change": "mine.py", "problem": "softmacs"}, "no problem 'softmacs'"),
    ],
)
def test_what_does_not_go_together_is_said(asked, complaint):
    with pytest.raises(BadInput, match=complaint):
        planned(**asked)


def test_a_kernel_has_no_other_metric(double, mine):
    with pytest.raises(BadInput, match="measured by time_us alone"):
        make_plan(Asked(change=mine, problem=str(double)), (Metric("memory"),))


def test_a_file_that_is_the_baseline_is_no_change(double):
    copy = str(double.write("copy.py", (double.path / "rungs" / "plain.py").read_text()))
    with pytest.raises(BadInput, match="the same, to the byte"):
        planned(change=copy, problem=str(double), device="cpu")


def test_a_file_that_is_not_utf_8_is_refused(double, mine):
    latin = double.path.parent / "latin.py"
    latin.write_bytes("# -*- coding: latin-1 -*-\n# é\n".encode("latin-1") + MINE.encode())
    with pytest.raises(BadInput, match="not UTF-8"):
        planned(change=str(latin), problem=str(double), device="cpu")


def test_commands_run_where_they_were_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan, defaults = commands()
    assert plan.cwd == str(tmp_path)
    assert plan.workload == ""
    assert taken(defaults)["folder"][0] == str(tmp_path)
    assert plan.baseline.sha256 != plan.change.sha256
