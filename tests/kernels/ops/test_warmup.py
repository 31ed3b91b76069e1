"""Getting ready ahead of time. What needs no GPU; the rest is in test_on_cuda.py."""

from dataclasses import asdict
from importlib import import_module

import pytest
import torch

from warpbook import ops
from warpbook.kernels.gemv.rungs import split
from warpbook.kernels.held_row import ALIGNED, ALIKE, CUT
from warpbook.kernels.held_row import recalled as recalled_row
from warpbook.kernels.ops.gemv import recalled
from warpbook.kernels.ops.memory import when_contiguous
from warpbook.kernels.ops.tuning import near
from warpbook.kernels.ops.warmup import ROWS, ROWWISE

COLUMNS = (1, 3, 64, 1000, 4097, 8192, 65_537, 262_144)


def test_what_it_is_not_given_or_cannot_be():
    with pytest.raises(ValueError, match="no operation 'soft'; there are add_layer_norm, add_rms"):
        ops.warmup("soft", columns=8)
    with pytest.raises(
        ValueError, match="softmax needs columns=, a number from 1 up, and got None"
    ):
        ops.warmup("softmax")
    with pytest.raises(ValueError, match="topk needs columns=, a number from 1 up, and got None"):
        ops.warmup("topk")
    with pytest.raises(ValueError, match="got 0"):
        ops.warmup("gemv", columns=0)
    with pytest.raises(TypeError, match=r"dtype is torch\.float64; float32, float16 and bfloat16"):
        ops.warmup("softmax", columns=8, dtype=torch.float64)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_there_is_nothing_to_do_and_nothing_to_tune():
    assert ops.warmup("softmax", columns=8) is None
    assert ops.warmup("vector_add") is None
    assert ops.warmup("matmul", dtype=torch.bfloat16) is None
    assert ops.warmup("topk", columns=8) is None
    with pytest.raises(
        RuntimeError, match=r"tuning needs an NVIDIA GPU, of compute capability 9\.x or 10\.x"
    ):
        ops.warmup("softmax", columns=8, tune=True)


def test_plans_near_another_differ_by_two_in_one_place_or_two():
    found = list(near({"threads": 64, "rows": 1}))
    assert {"threads": 128, "rows": 1} in found
    assert {"threads": 32, "rows": 2} in found
    assert {"threads": 64, "rows": 1} not in found
    assert len(found) == 8


def test_a_plan_for_gemv_is_recalled_only_where_the_kernel_can_have_it():
    fields = {"threads": 256, "team": 32, "rows": 2, "unroll": 4, "cluster": 1, "blocks": 3}
    assert recalled({**fields, "waves": 0}).team == 32
    for wrong in (
        {"threads": 100},
        {"threads": 2048},
        {"team": 64},
        {"team": 0},
        {"cluster": 2},
        {"waves": -1},
        {"other": 1},
    ):
        assert recalled({**fields, **wrong}) is None, wrong
    assert recalled({"threads": 256}) is None


@pytest.mark.parametrize("columns", [1024, 4096, 5120, 131_072])
@pytest.mark.parametrize("sms", [132, 148])
def test_gemv_is_warmed_up_for_any_number_of_rows(columns, sms):
    def plans(counts):
        return {(rows < sms, split.plan(rows, columns, 2, sms)) for rows in counts}

    assert plans(range(1, 9000, 7)) <= plans(ROWS)


@pytest.mark.parametrize("kernel", ROWWISE.values(), ids=lambda kernel: kernel.name)
def test_a_kernel_is_handed_what_its_rung_hands_it(kernel):
    assert kernel.codes == import_module(kernel.rung).CODES


@pytest.mark.parametrize("kernel", ROWWISE.values(), ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_the_rule_s_plans_can_be_kept_and_recalled(kernel, columns, dtype):
    rung = import_module(kernel.rung)
    for few in (True, False):
        plan = rung.plan(columns, dtype, when_contiguous(columns, dtype), few)
        if plan is None and columns == COLUMNS[-1]:
            continue
        fields = asdict(plan)
        assert rung.recalled(fields, columns, dtype, when_contiguous(columns, dtype)) == plan


@pytest.mark.parametrize(
    "wrong",
    [
        {"threads": 48},
        {"threads": 2048},
        {"threads": 128},
        {"vectors": 1},
        {"vectors": 16},
        {"vector": 2},
        {"cluster": 16},
        {"cluster": 0},
        {"rows": 2},
        {"stages": 2},
        {"fit": CUT},
        {"fit": 3},
        {"other": 1},
    ],
    ids=str,
)
def test_a_plan_is_recalled_only_where_the_kernel_can_have_it(wrong):
    fields = {"vector": 4, "vectors": 4, "threads": 512}
    asked = (8192, torch.float32, ALIGNED)
    assert recalled_row(fields, *asked) is not None
    assert recalled_row({**fields, **wrong}, *asked) is None


def test_rows_are_fetched_ahead_only_by_16_bytes():
    fields = {"vector": 1, "vectors": 1, "threads": 32, "cluster": 2, "fit": 1}
    asked = (63, torch.float32, ALIKE)
    assert recalled_row(fields, *asked) is not None
    assert recalled_row({**fields, "stages": 1}, *asked) is None
