"""Special to gemv: its scale, honest orders of summation, and how its top rung is cut."""

import itertools

import numpy as np
import pytest
import torch

from warpbook.core.workload import Workload
from warpbook.kernels.gemv.rungs import split
from warpbook.kernels.shelf import load_problem
from warpbook.measure.check import Checker

PROBLEM = load_problem("gemv")
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
SMS = 132
RESIDENT_THREADS = 2048  # on a multiprocessor
FLOAT32_ON_CPU = [w for w in PROBLEM.workloads if w.dtype == "float32" and w.runs_on("cpu")]


def judged(workload, function):
    arguments = PROBLEM.inputs(workload, torch.Generator().manual_seed(5))
    return Checker(PROBLEM, workload).add([function(*arguments)], arguments)


@pytest.mark.parametrize("workload", FLOAT32_ON_CPU, ids=lambda w: w.name)
def test_a_sum_term_by_term_in_float32_is_within_budget(workload):
    def term_by_term(matrix, vector):
        # numpy's running sum is made in float32, one addition after another.
        with np.errstate(invalid="ignore"):
            running = np.cumsum((matrix * vector).numpy(), axis=-1, dtype=np.float32)
        return torch.from_numpy(running[:, -1].copy())

    assert judged(workload, term_by_term) is None


@pytest.mark.parametrize("workload", [w for w in FLOAT32_ON_CPU if w.timed], ids=lambda w: w.name)
def test_tf32_does_not_pass_for_float32_wherever_it_is_timed(workload):
    assert judged(workload, PROBLEM.mutants["narrow_inputs"])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_nothing_does_not_pass_for_a_long_sum_in_16_bits(dtype):
    workload = Workload("long", (4, 131072), dtype)
    assert judged(workload, PROBLEM.mutants["zeros"])
    assert judged(workload, lambda a, x: (a.float() * x.float()).sum(-1).to(a.dtype)) is None


def test_the_cost_is_one_reading_of_the_matrix_and_the_vector():
    cost = PROBLEM.cost(PROBLEM.workload("4096x4096-bf16"))
    assert cost.bytes_read == 2 * (4096 * 4096 + 4096)
    assert cost.bytes_written == 2 * 4096
    assert cost.operations == {"fp32": 2 * 4096 * 4096}


def each_plan():
    lengths = (1, 2, 7, 8, 33, 64, 100, 129, 255, 256, 1000, 2560, 4097, 65536, 262144, 3_000_001)
    counts = (1, 2, 8, 63, 132, 1000, 4096, 20000, 151936, 2**31)
    for rows, columns, itemsize, whole in itertools.product(counts, lengths, (2, 4), (True, False)):
        yield rows, columns, itemsize, split.plan(rows, columns, itemsize, SMS, whole)


def test_every_plan_is_one_that_the_kernel_can_have():
    for *case, plan in each_plan():
        sizes = (plan.threads, plan.team, plan.cluster)
        assert all(size & (size - 1) == 0 for size in sizes), case
        assert plan.team == plan.threads or (plan.team <= 32 and plan.cluster == 1), case
        assert 32 <= plan.threads <= 1024, case
        assert 1 <= plan.cluster <= 8, case
        assert plan.blocks * plan.threads <= RESIDENT_THREADS, case


def test_a_plan_leaves_registers_for_its_loads():
    for *case, plan in each_plan():
        registers = 65536 // (plan.threads * plan.blocks)
        assert registers >= 4 * plan.unroll * (plan.rows + 1) + 32, (case, plan)


def test_few_long_rows_are_spread_over_many_multiprocessors():
    for rows in (1, 2, 8, 16, 64):
        plan = split.plan(rows, 262144, 2, SMS)
        assert rows * plan.cluster >= min(8 * rows, SMS // 2), rows


def test_no_thread_of_a_team_is_left_without_a_load_where_rows_are_many():
    for rows, columns, itemsize, plan in each_plan():
        if rows >= 20000 and columns * itemsize >= 16:
            assert plan.team < 2 * columns * itemsize / 16 + 1, (columns, itemsize)


PLANS = [
    split.Plan(256, 1, 1, 1, 1, 3),
    split.Plan(256, 4, 4, 1, 1, 3),
    split.Plan(64, 16, 8, 1, 1, 3),
    split.Plan(256, 32, 2, 4, 1, 3),
    split.Plan(256, 32, 1, 8, 1, 2, waves=2),
    split.Plan(128, 128, 2, 4, 1, 5),
    split.Plan(256, 256, 4, 2, 1, 3),
    split.Plan(64, 64, 1, 2, 1, 1, waves=1),
    split.Plan(64, 64, 2, 2, 4, 1, waves=1),
    split.Plan(1024, 1024, 1, 1, 8, 1),
    split.Plan(32, 32, 1, 4, 16, 1),
]


def among_nan(shape, step, start, dtype):
    """A matrix of rows `step` apart that starts `start` elements past a multiple of 16 bytes, with
    NaN all around its rows."""
    rows, columns = shape
    room = torch.full(
        (start + (rows - 1) * step + columns + 16,), torch.nan, dtype=dtype, device="cuda"
    )
    return room.as_strided(shape, (step, 1), start).normal_()


def right(matrix, vector, out):
    workload = Workload("", tuple(matrix.shape), str(matrix.dtype).removeprefix("torch."))
    return Checker(PROBLEM, workload).add([out], (matrix, vector))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("plan", [*PLANS, None], ids=str)
def test_rows_and_vectors_may_start_anywhere_with_nan_around_them(plan, dtype):
    shapes = ((1, 1), (5, 3), (70, 63), (33, 130), (19, 1024), (9, 4099))
    for (rows, columns), pad, start in itertools.product(shapes, (0, 1, 4, 8), (0, 1, 2)):
        matrix = among_nan((rows, columns), columns + pad, start, dtype)
        for vector_start in (0, 1, 4):
            vector = among_nan((1, columns), columns, vector_start, dtype)[0]
            room = torch.full((rows, 3), torch.nan, dtype=dtype, device="cuda")
            split.launch(matrix, vector, room[:, 1], plan)
            case = (rows, columns, pad, start, vector_start)
            assert right(matrix, vector, room[:, 1]) is None, case
            assert bool(room[:, ::2].isnan().all()), case


@pytest.mark.gpu
@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_the_same_sum_is_made_every_time(plan):
    matrix, vector = torch.randn(257, 10007, device="cuda"), torch.randn(10007, device="cuda")
    first, again = torch.empty(257, device="cuda"), torch.empty(257, device="cuda")
    split.launch(matrix, vector, first, plan)
    for _ in range(5):
        split.launch(matrix, vector, again, plan)
        assert torch.equal(first, again)


@pytest.mark.gpu
def test_a_matrix_without_columns_gives_zeros_and_one_without_rows_nothing():
    empty = torch.empty(5, 0, device="cuda")
    out = torch.full((5,), torch.nan, device="cuda")
    assert torch.equal(split.gemv(empty, empty[0], out=out), torch.zeros(5, device="cuda"))
    assert split.gemv(torch.empty(0, 5, device="cuda"), out).shape == (0,)


@pytest.mark.gpu
def test_rows_may_overlap():
    signal, vector = torch.randn(5000, device="cuda"), torch.randn(40, device="cuda")
    for step in (0, 1, 3):
        matrix = signal.as_strided((1000, 40), (step, 1))
        out = torch.empty(1000, device="cuda")
        assert right(matrix, vector, split.gemv(matrix, vector, out=out)) is None
