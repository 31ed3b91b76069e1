"""Several rungs in turns, in real children on the CPU."""

import math
from dataclasses import replace

import pytest

from warpbook.core.judgement import Status
from warpbook.kernels.problem import Problem
from warpbook.kernels.shelf import load_problem, load_rung
from warpbook.measure import contest as module
from warpbook.measure.arm import Arm
from warpbook.measure.budget import Budget
from warpbook.measure.contest import Contest
from warpbook.measure.judge import Judge

from .conftest import DOUBLE, write_problem

HONEST = "import torch\ndef double(x, out=None):\n    return torch.mul(x, 2, out=out)"
WRONG_ON_LARGE = """
def double(x):
    return x * 2 if len(x) < 100 else x * 3
"""
REFUSES_SMALL = """
def double(x):
    if len(x) < 100:
        raise ValueError("only large ones")
    return x * 2
"""
DIES = """
import os
def double(x):
    os._exit(7)
"""
TWO_TIMED = DOUBLE.replace(
    'Workload("3x5", (3, 5)),', 'Workload("3x5", (3, 5), timed_on=("cpu", "cuda")),'
)


@pytest.fixture(autouse=True)
def quick(any_pace, monkeypatch):
    """One batch of rounds, and all of them although a call was held up for long."""
    monkeypatch.setattr(module, "MOST_ROUNDS", {"cpu": 4, "cuda": 8})
    monkeypatch.setattr(module, "LONGEST_US", 1e9)


@pytest.fixture
def problem(tmp_path) -> Problem:
    return write_problem(tmp_path, TWO_TIMED)


def held(judge, problem, rungs, seconds=3600.0):
    budget = Budget(seconds)
    budget.expect(2)
    with Contest(judge, problem, rungs, budget) as contest:
        judgements = contest.judgements()
    return contest, {judgement.rung: judgement for judgement in judgements}


def statuses(judgement):
    return {outcome.workload: outcome.status for outcome in judgement.outcomes}


def test_every_rung_has_its_time_beside_the_same_limit(cold, problem, candidate):
    rungs = [candidate(HONEST, "a"), candidate("def double(x):\n    return x + x", "b")]
    contest, found = held(cold, problem, rungs)
    for rung in ("a", "b"):
        assert found[rung].reason == ""
        for outcome in found[rung].outcomes:
            assert outcome.limit == contest.limits[outcome.workload].timing
            assert outcome.limit_by == "copy_1"
            assert outcome.rounds == len(outcome.device.samples_us) == 4
            assert outcome.checked >= 5
            assert outcome.of_limit == outcome.limit.median_us / outcome.device.median_us
    assert list(contest.limits) == ["3x5", "256x1024"]


def test_a_rung_that_is_not_correct_drops_out_alone(cold, problem, candidate):
    rungs = [
        candidate(HONEST, "good"),
        candidate(WRONG_ON_LARGE, "wrong"),
        candidate(REFUSES_SMALL, "refuses"),
        candidate(DIES, "dies"),
        candidate("import nowhere\ndef double(x): ...", "broken"),
        candidate("import triton\ndef double(x, out): ...", "triton"),
    ]
    _, found = held(cold, problem, rungs)
    both = {"3x5", "256x1024"}
    assert found["good"].reason == ""
    assert statuses(found["good"]) == dict.fromkeys(both, Status.CORRECT)
    assert statuses(found["wrong"]) == {"3x5": Status.CORRECT, "256x1024": Status.WRONG}
    assert not any(outcome.device for outcome in found["wrong"].outcomes)
    assert statuses(found["refuses"]) == {"3x5": Status.CRASHED, "256x1024": Status.CORRECT}
    assert [bool(o.device) for o in found["refuses"].outcomes] == [False, True]
    assert statuses(found["dies"]) == dict.fromkeys(both, Status.CRASHED)
    assert "exited with 7" in found["dies"].reason
    assert statuses(found["broken"]) == dict.fromkeys(both, Status.CRASHED)
    assert statuses(found["triton"]) == dict.fromkeys(both, Status.SKIPPED)


def test_a_slow_rung_plays_few_rounds_and_keeps_nobody_waiting(
    cold, problem, candidate, monkeypatch
):
    enter = Arm.enter

    def slow_if_b(arm, *how):
        enter(arm, *how)
        arm.call_us = 1e9 if arm.rung.name == "b" else 1.0

    monkeypatch.setattr(Arm, "enter", slow_if_b)
    _, found = held(cold, problem, [candidate(HONEST, "a"), candidate(HONEST, "b")])
    assert [o.rounds for o in found["a"].outcomes] == [4, 4]
    assert [o.rounds for o in found["b"].outcomes] == [2, 2]
    assert all(o.device for o in found["b"].outcomes)


def test_what_does_not_fit_into_the_budget_is_said(cold, problem, candidate):
    _, found = held(cold, problem, [candidate(HONEST, "a")], seconds=0.0)
    assert statuses(found["a"]) == {"3x5": Status.SKIPPED, "256x1024": Status.SKIPPED}
    assert found["a"].outcomes[0].reason == "did not fit into the budget of 0 s"


def test_the_first_workload_alone_is_said_to_compile(cold, problem, candidate, monkeypatch):
    told = []
    monkeypatch.setattr(Budget, "needed", lambda _, *seconds: told.append(seconds))
    held(cold, problem, [candidate(HONEST, "a")])
    assert [first for _, _, first in told] == [True, False]
    assert all(ready_s > 0 and rounds_s > 0 for ready_s, rounds_s, _ in told)


def test_a_problem_whose_bytes_nothing_moves_has_no_limit(cold, tmp_path, candidate):
    source = TWO_TIMED.replace("x * 2", "(x * 2).sum(dim=-1)")
    rungs = [candidate("def double(x):\n    return (x * 2).sum(dim=-1)", "a")]
    contest, found = held(cold, write_problem(tmp_path, source), rungs)
    assert found["a"].status is Status.CORRECT
    assert found["a"].outcomes[0].limit is None
    assert "arguments and outputs differ" in contest.limits["3x5"].reason


def test_where_computing_takes_longer_than_moving_the_rate_sets_the_limit(
    cold, tmp_path, candidate, monkeypatch
):
    """Each rung's own rate, if it names a unit. At this one what is large takes ten seconds."""
    monkeypatch.setattr(cold.bench, "_roofs", replace(cold.bench.roofs, rates={"fp32": 1e5}))
    source = TWO_TIMED.replace('{"fp32": size / 4}', '{"fp32": size if size > 60 else 0}')
    other = candidate('UNIT = "fp32"\nTIMES = 2\n' + HONEST, "b")
    contest, found = held(cold, write_problem(tmp_path, source), [candidate(HONEST, "a"), other])
    small, large = contest.limits["3x5"], contest.limits["256x1024"]
    assert small.by == "copy_1"
    assert (large.by, large.timing.samples_us) == ("fp32 rate", ())
    a, b = (found[rung].outcomes[1] for rung in "ab")
    assert a.limit.median_us == pytest.approx(2**20 / 1e5 * 1e6)
    assert (a.limit_by, a.floor.binds) == ("fp32 rate", "fp32")
    assert b.limit.median_us == pytest.approx(2 * 2**20 / 1e5 * 1e6)
    assert (b.limit_by, b.floor.binds) == ("fp32 rate, 2 times", "fp32")
    assert "its floor and its limit count each operation 2 times on fp32" in b.notes


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "rung", "mover"),
    [
        ("vector_add", "vectors", "join"),
        ("softmax", "one_row", "copy"),
        ("gemv", "vectors", "read"),
        ("add_rms_norm", "compiled", "pair"),
        ("topk", "torch_topk", "stream"),
    ],
)
def test_on_a_gpu_every_mover_takes_part(name, rung, mover):
    problem = load_problem(name)
    smallest = min(module.timed_workloads(problem, "cuda"), key=lambda w: math.prod(w.shape))
    problem = replace(problem, workloads=(smallest,))
    with Judge("cuda") as judge:
        contest, found = held(judge, problem, [load_rung(problem, rung)])
    (outcome,) = found[rung].outcomes
    assert found[rung].reason == ""
    assert outcome.limit_by.startswith(mover)
    assert all(arm.playing for arm in contest.movers)
    assert all(len(arm.rounds.samples) >= 8 for arm in contest.movers)


@pytest.mark.gpu
def test_on_a_gpu_a_product_is_held_to_the_rate_of_its_unit():
    problem = load_problem("matmul")
    problem = replace(problem, workloads=(problem.workload("2048x2048x2048-fp32"),))
    rungs = [load_rung(problem, name) for name in ("cublas", "tf32_triple")]
    with Judge("cuda") as judge:
        contest, found = held(judge, problem, rungs)
    assert [judgement.reason for judgement in found.values()] == ["", ""]
    assert all(len(arm.rounds.samples) >= 8 for arm in contest.movers), "they compute nothing"
    by = {name: judgement.outcomes[0].limit_by for name, judgement in found.items()}
    assert by == {"cublas": "fp32 rate", "tf32_triple": "tf32 matrix rate, 3 times"}
