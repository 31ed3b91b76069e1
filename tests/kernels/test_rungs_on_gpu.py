"""Every rung on a GPU: through the judge, at sizes that nobody named, past 2^31 elements."""

import importlib
from dataclasses import replace
from itertools import count
from math import prod

import pytest
import torch

from warpbook.core.judgement import Status
from warpbook.core.workload import Workload
from warpbook.kernels.library import problem_names
from warpbook.kernels.problem import as_list
from warpbook.kernels.shelf import load_ladder, load_problem
from warpbook.measure.check import Checker
from warpbook.measure.judge import Judge

pytestmark = pytest.mark.gpu

LADDERS = [(name, rung) for name in problem_names() for rung in load_ladder(load_problem(name))]
KERNELS = [(name, rung) for name, rung in LADDERS if rung.language in ("triton", "cuda")]
ROWS = (1, 3, 300)
COLUMNS = (1, 2, 7, 31, 130, 512, 1000, 2048, 4093, 5000, 8192, 16411, 32768, 50257, 65536)
LONG = (100_003, 131072, 151936, 262144, 300_001, 2_000_003)
PAST_32_BITS = 2**31
SEEDS = count()


def of(rungs):
    names = [f"{name}-{rung.name}" for name, rung in rungs]
    return pytest.mark.parametrize(("name", "rung"), rungs, ids=names)


@pytest.fixture(scope="module")
def judge():
    with Judge("cuda", warm=True) as judge:
        yield judge


@of(LADDERS)
def test_every_rung_is_right_on_every_catching_workload(judge, name, rung):
    problem = load_problem(name)
    judgement = judge.rung(problem, rung, [w.name for w in problem.workloads if not w.timed])
    if judgement.status is Status.SKIPPED and rung.name in problem.peers:
        pytest.skip(judgement.reason)  # a compiler or a library that is not installed here
    if rung.name in problem.peers and judgement.status is Status.WRONG:
        # Other people's work may be wrong: torch 2.11's rms_norm turns a whole row to NaN where
        # one number in it is infinite.
        wrong = {o.workload for o in judgement.outcomes if o.status is not Status.CORRECT}
        assert all("nonfinite" in workload for workload in wrong), wrong
        return
    assert judgement.status is Status.CORRECT, judgement.reason
    wrong = [(o.workload, o.reason) for o in judgement.outcomes if o.status is not Status.CORRECT]
    assert wrong == []


@of(KERNELS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_every_kernel_is_right_at_sizes_that_nobody_named(name, rung, dtype):
    problem = load_problem(name)
    for shape in shapes(problem):
        workload = Workload("x".join(map(str, shape)), shape, dtype)
        arguments, outputs = run(problem, rung, workload)
        assert Checker(problem, workload).add(outputs, arguments) is None, workload.name


def shapes(problem):
    if len(problem.workloads[0].shape) == 1:
        return [(length,) for length in COLUMNS + LONG]
    few = [(rows, columns) for rows in ROWS for columns in COLUMNS]
    return few + [(rows, columns) for rows in (1, 9) for columns in LONG] + [(100_000, 33)]


@of(KERNELS)
def test_every_kernel_reaches_past_2_31_elements(name, rung):
    problem = load_problem(name)
    vectors = len(problem.workloads[0].shape) == 1
    for columns in [()] if vectors else [(8192,), (262144,)]:
        boundary = PAST_32_BITS // prod(columns)
        length = boundary + (4097 if vectors else 3)
        whole = Workload("2^31", (length, *columns), "bfloat16")
        arguments, outputs = run(problem, rung, whole)
        for rows in (slice(0, 2), slice(boundary - 1, boundary + 2), slice(length - 2, length)):
            part = replace(whole, shape=(rows.stop - rows.start, *columns))
            given = [cut(argument, length, rows) for argument in arguments]
            found = [cut(output, length, rows) for output in outputs]
            assert Checker(problem, part).add(found, given) is None, (whole.shape, rows)


def run(problem, rung, workload):
    """What the rung makes of inputs drawn for the workload. They differ every time: memory that
    is used again may hold the right answer to the last ones."""
    module = importlib.import_module(f"warpbook.kernels.{problem.name}.rungs.{rung.name}")
    arguments = problem.inputs(workload, torch.Generator("cuda").manual_seed(next(SEEDS)))
    return arguments, as_list(getattr(module, problem.name)(*arguments))


def cut(argument, length, rows):
    """The rows of a tensor that has them; a vector of columns or a number as it is."""
    if isinstance(argument, torch.Tensor) and argument.shape[0] == length:
        return argument[rows]
    return argument
