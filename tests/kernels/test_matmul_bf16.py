"""Special to matmul_bf16: its scale, its tiles, and rungs beyond what the workloads have."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from warpbook.core.workload import Workload
from warpbook.kernels.matmul_bf16 import tiles
from warpbook.kernels.matmul_bf16.mutants import Given, activated, finished
from warpbook.kernels.shelf import load_problem
from warpbook.measure.check import Checker

PROBLEM = load_problem("matmul_bf16")
ON_CPU = [w for w in PROBLEM.workloads if w.runs_on("cpu")]
SMS = 132
SHARED_MEMORY = 227 * 1024
SCRIPT = Path(__file__).parent / "interpret_matmul_bf16.py"


def judged(workload, function):
    arguments = PROBLEM.inputs(workload, torch.Generator().manual_seed(5))
    return Checker(PROBLEM, workload).add([function(*arguments)], arguments)


def term_by_term(*arguments):
    given = Given(*arguments)
    total = torch.zeros(len(given.a), given.b.shape[1])
    for column, row in zip(given.a.float().t(), given.b.float(), strict=True):
        total += torch.outer(column, row)
    return finished(total, given)


def in_parts(*arguments):
    """As a product whose k is cut into five, with the sums of the parts in float32."""
    given = Given(*arguments)
    total = torch.zeros(len(given.a), given.b.shape[1])
    for part, rows in zip(given.a.chunk(5, 1), given.b.chunk(5), strict=True):
        total += part.float() @ rows.float()
    return finished(total, given)


def rounded_twice(*arguments):
    """As a library that has a kernel of its own for the activation."""
    given = Given(*arguments)
    y = finished(given.a.float() @ given.b.float(), given._replace(activation=0))
    return activated(y.float(), given.activation).to(y.dtype)


@pytest.mark.parametrize("honest", [term_by_term, in_parts, rounded_twice])
def test_any_honest_order_and_a_second_rounding_are_within_budget(honest):
    for workload in ON_CPU:
        assert judged(workload, honest) is None, workload.name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("mutant", ["zeros", "narrow_inputs", "narrow_accumulator", "dropped_tail"])
def test_a_long_sum_hides_no_mistake(mutant, dtype):
    workload = Workload("long", (4, 8, 14337), dtype)
    assert judged(workload, PROBLEM.mutants[mutant])
    assert judged(workload, in_parts) is None


def test_no_sums_are_the_bias_through_the_activation():
    bias = torch.tensor([-1.0, 2.0], dtype=torch.bfloat16)
    empty = torch.empty(3, 0, dtype=torch.bfloat16)
    y = PROBLEM.reference(empty, empty[:2].t(), bias, 1)
    assert y.tolist() == [[0.0, 2.0]] * 3


def test_the_cost_is_each_matrix_once_and_two_operations_a_term():
    workload = PROBLEM.workload("1024x14336x4096-nt-bf16-bias-gelu")
    cost = PROBLEM.cost(workload)
    assert cost.bytes_read == 2 * (1024 * 4096 + 4096 * 14336 + 14336)
    assert cost.bytes_written == 2 * 1024 * 14336
    assert cost.operations == {"bf16 matrix": 2 * 1024 * 14336 * 4096}
    fp16 = PROBLEM.workload("4096x4096x4096-fp16")
    assert set(PROBLEM.cost(fp16).operations) == {"fp16 matrix"}


def test_transposed_matrices_lie_as_their_layout_says():
    for layout, (a_step, b_step) in {"nt": (1, 0), "tn": (0, 1), "tt": (0, 0)}.items():
        workload = Workload("", (3, 5, 7), "bfloat16", layout=layout)
        a, b, bias, activation = PROBLEM.inputs(workload, torch.Generator())
        assert (a.stride(a_step), b.stride(b_step), bias, activation) == (1, 1, None, 0)


def each_plan():
    sizes = (1, 16, 63, 256, 1000, 4096, 8192, 151936)
    for rows, columns, k in itertools.product(sizes, sizes, (1, 64, 2560, 14336)):
        yield (rows, columns, k), tiles.plan(rows, columns, k, SMS)


def test_every_tile_fits_on_a_multiprocessor():
    for case, plan in each_plan():
        tile = plan.tile
        stage = 2 * tile.depth * (tile.rows + tile.columns)
        stored = 2 * tile.rows * min(tile.columns, 128)
        assert tile.stages * stage + stored <= SHARED_MEMORY, (case, tile)
        assert tile.rows * tile.columns <= 128 * 32 * tile.warps, case  # 128 sums a thread


def test_k_is_cut_only_where_tiles_are_too_few():
    for (rows, columns, k), plan in each_plan():
        count = -(-rows // plan.tile.rows) * -(-columns // plan.tile.columns)
        if plan.parts > 1:
            assert count < 3 * SMS, (rows, columns, k)
            assert count <= tiles.MOST_CUT, (rows, columns, k)
            assert k >= plan.parts * plan.tile.depth, (rows, columns, k)


def test_a_long_k_keeps_the_device_busy():
    """All of it where arithmetic binds; half is enough to keep the memory busy."""
    sizes = {(4096, 1, 14336): 0.45, (1024, 64, 65536): 0.45, (256, 4096, 14336): 0.9}
    for (rows, columns, k), share in sizes.items():
        plan = tiles.plan(rows, columns, k, SMS)
        count = -(-rows // plan.tile.rows) * -(-columns // plan.tile.columns) * plan.parts
        assert count >= share * SMS, (rows, columns, k)


def test_the_triton_rungs_take_any_layout_epilogue_and_size():
    """Zero sizes, k in parts, several tiles a program, outputs with gaps: in the interpreter."""
    finished = subprocess.run(
        [sys.executable, SCRIPT], capture_output=True, text=True, timeout=600, check=False
    )
    assert finished.returncode == 0, finished.stderr
    report = json.loads(finished.stdout)
    assert report["wrong"] == []
    assert report["checked"] > 50
    assert report["tickets"] == 0, "a count of parts was left behind"
