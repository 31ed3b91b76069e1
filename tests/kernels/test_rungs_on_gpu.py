"""Every rung on a GPU: through the judge, at sizes that nobody named, past 2^31 elements."""

import importlib
from dataclasses import replace
from itertools import count, cycle

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
PRODUCTS = [
    (m, n, k)
    for m, n in ((1, 1), (1, 1000), (3, 130), (17, 33), (64, 64), (100, 1), (129, 300), (1000, 513))
    for k in (1, 7, 32, 130, 4093)
] + [(1, 50257, 1024), (8, 5000, 8192), (5000, 8, 8192), (300, 300, 100_003), (2048, 2048, 2048)]
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
def test_every_kernel_is_right_at_sizes_that_nobody_named(name, rung):
    """In every dtype that the problem is for, and with all that its workloads ask for besides."""
    problem = load_problem(name)
    for dtype in dtypes(problem):
        extras = cycle(extras_of(problem))
        for shape in shapes(problem):
            extra = clipped(next(extras), shape)
            workload = Workload(f"{shape} {dtype} {extra}", shape, dtype, extra=extra)
            arguments, outputs = run(problem, rung, workload)
            assert Checker(problem, workload).add(outputs, arguments) is None, workload.name


def dtypes(problem):
    return list(dict.fromkeys(workload.dtype for workload in problem.workloads))


def extras_of(problem):
    """The k of a top-k, the bias of a product, each as often as it differs."""
    found = []
    for workload in problem.workloads:
        if workload.extra not in found:
            found.append(workload.extra)
    return found


def clipped(extra, shape):
    return {**extra, "k": min(extra["k"], shape[-1])} if "k" in extra else extra


def shapes(problem):
    sizes = len(problem.workloads[0].shape)
    if sizes == 1:
        return [(length,) for length in COLUMNS + LONG]
    if sizes == 3:
        return PRODUCTS
    few = [(rows, columns) for rows in ROWS for columns in COLUMNS]
    return few + [(rows, columns) for rows in (1, 9) for columns in LONG] + [(100_000, 33)]


@of(KERNELS)
def test_every_kernel_reaches_past_2_31_elements(name, rung):
    """In each of its matrices, one after the other: they are checked where that size is crossed."""
    problem = load_problem(name)
    dtype = "bfloat16" if "bfloat16" in dtypes(problem) else dtypes(problem)[0]
    for shape, side in large_shapes(problem):
        length = shape[side]
        boundary = length - (4097 if len(shape) == 1 else 3)
        whole = Workload("2^31", shape, dtype)
        arguments, outputs = run(problem, rung, whole)
        for rows in (slice(0, 2), slice(boundary - 1, boundary + 2), slice(length - 2, length)):
            count = rows.stop - rows.start
            part = replace(whole, shape=tuple(count if s == length else s for s in shape))
            given = [cut(argument, length, rows) for argument in arguments]
            found = [cut(output, length, rows) for output in outputs]
            assert Checker(problem, part).add(found, given) is None, (shape, rows)
        del arguments, outputs, given, found  # before the next ones are made


def large_shapes(problem):
    """Each with the side that takes a matrix past the boundary."""
    sizes = len(problem.workloads[0].shape)
    if sizes == 1:
        return [((PAST_32_BITS + 4097,), 0)]
    if sizes == 2:
        return [((PAST_32_BITS // columns + 3, columns), 0) for columns in (8192, 262144)]
    long, wide = PAST_32_BITS // 8192 + 3, PAST_32_BITS // 16384 + 3
    return [((long, 16, 8192), 0), ((16, long, 8192), 1), ((wide, 16384, 3), 0)]


def run(problem, rung, workload):
    """What the rung makes of inputs drawn for the workload. They differ every time: memory that
    is used again may hold the right answer to the last ones."""
    module = importlib.import_module(f"warpbook.kernels.{problem.name}.rungs.{rung.name}")
    arguments = problem.inputs(workload, torch.Generator("cuda").manual_seed(next(SEEDS)))
    return arguments, as_list(getattr(module, problem.name)(*arguments))


def cut(argument, length, rows):
    """The part of a tensor's long side, if it has one; all else as it is."""
    if isinstance(argument, torch.Tensor) and length in argument.shape:
        side = argument.shape.index(length)
        return argument.narrow(side, rows.start, rows.stop - rows.start)
    return argument
