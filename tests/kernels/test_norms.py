"""What is special about the norms: their contents, and orders of summation that are honest."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from warpbook.kernels.norm_workloads import CATCHING, SHIFT, draw_rows, draw_terms
from warpbook.kernels.shelf import load_problem
from warpbook.measure.check import Checker


def drawn(values, dtype):
    workload = next(w for w in CATCHING if (w.values, w.dtype) == (values, dtype))
    return draw_rows(workload, torch.Generator().manual_seed(4))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_shifted_rows_have_a_mean_of_some_thousands_of_spreads(dtype):
    x = drawn("shifted", dtype).double()
    spread = x.std(dim=-1)
    assert bool(((x.mean(dim=-1) / spread)[spread > 0] > SHIFT / 2).all())


def test_scaled_rows_go_from_where_eps_is_all_to_where_it_is_nothing():
    mean_square = drawn("scaled", "float32").double().square().mean(dim=-1)
    assert mean_square[0] < 1e-28
    assert 1e-6 < mean_square[1] < 1e-4
    assert mean_square[-1] > 1e28
    assert bool(drawn("scaled", "float32").square().sum(dim=-1).isfinite().all())


def test_an_outlier_weighs_as_much_as_the_rest_of_its_row():
    squares = drawn("outlier", "float32").double().square()
    assert torch.allclose(squares[:, 0], squares[:, 1:].sum(dim=-1), rtol=0.05)


@pytest.mark.parametrize("workload", [w for w in CATCHING if w.values == "shifted"], ids=str)
def test_the_terms_of_a_shifted_row_add_up_to_one_exactly_in_16_bits(workload):
    x, residual = draw_terms(workload, torch.Generator().manual_seed(4))
    total = x.double() + residual.double()
    if workload.dtype != "float32":
        assert torch.equal((x + residual).double(), total)
    assert bool((total.mean(dim=-1) > SHIFT / 2 * total.std(dim=-1)).all())


def one_by_one(x):
    """numpy's running sum is made in float32, one addition after another."""
    with np.errstate(invalid="ignore"):  # inf - inf is among them
        running = np.cumsum(x.numpy(), axis=-1, dtype=np.float32)
    return torch.from_numpy(running[:, -1:].copy())


def rms_norm(x, weight, eps):
    return x / (one_by_one(x.square()) / x.shape[-1] + eps).sqrt() * weight


def layer_norm(x, weight, bias, eps):
    distance = x - one_by_one(x) / x.shape[-1]
    variance = one_by_one(distance.square()) / x.shape[-1]
    return distance / (variance + eps).sqrt() * weight + bias


@pytest.mark.parametrize("function", [rms_norm, layer_norm])
def test_sums_column_by_column_in_float32_are_within_the_budget(function):
    problem = load_problem(function.__name__)
    for workload in problem.workloads:
        if workload.dtype == "float32" and workload.runs_on("cpu"):
            # Each row is judged by itself, and the budget hangs on the columns.
            rows = min(workload.shape[0], 16) if workload.timed else workload.shape[0]
            fewer = replace(workload, shape=(rows, workload.shape[1]))
            arguments = problem.inputs(fewer, torch.Generator().manual_seed(11))
            fault = Checker(problem, fewer).add([function(*arguments)], arguments)
            assert fault is None, workload.name


@pytest.mark.parametrize("name", ["add_rms_norm", "add_layer_norm"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_sum_may_be_normalised_before_or_after_it_is_rounded(name, dtype):
    problem = load_problem(name)
    norm = load_problem(name.removeprefix("add_"))

    def before(x, residual, *rest):
        total = x.float() + residual.float()
        return norm.reference(total, *rest).to(x.dtype), total.to(x.dtype)

    def after(x, residual, *rest):
        rounded = (x.float() + residual.float()).to(x.dtype)
        return norm.reference(rounded.float(), *rest).to(x.dtype), rounded

    for workload in problem.workloads:
        if workload.dtype != dtype or workload.timed:
            continue
        arguments = problem.inputs(workload, torch.Generator().manual_seed(11))
        for function in (before, after):
            fault = Checker(problem, workload).add(function(*arguments), arguments)
            assert fault is None, workload.name


def test_cost_counts_every_matrix_once_and_every_weight_once():
    matrix, column = 64 * 8192 * 4, 8192 * 4
    counted = {
        name: load_problem(name).cost(load_problem(name).workload("64x8192-fp32"))
        for name in ("rms_norm", "layer_norm", "add_rms_norm", "add_layer_norm")
    }
    assert {name: (cost.bytes_read, cost.bytes_written) for name, cost in counted.items()} == {
        "rms_norm": (matrix + column, matrix),
        "layer_norm": (matrix + 2 * column, matrix),
        "add_rms_norm": (2 * matrix + column, 2 * matrix),
        "add_layer_norm": (2 * matrix + 2 * column, 2 * matrix),
    }
