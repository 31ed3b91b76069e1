"""Filling results by a row-wise kernel. The kernel here is a few lines of numpy that are told what
a GPU's would be, addresses and all, and the device is the CPU."""

import ctypes
import sys
from contextlib import nullcontext
from types import ModuleType

import numpy as np
import pytest
import torch

from warpbook.kernels.held_row import ALIGNED, ALIKE, APART, Prepared
from warpbook.kernels.ops import plans, rows
from warpbook.kernels.ops.rows import RowKernel

SMS = 4


def matrix(address, count, columns, step):
    """The memory itself."""
    span = (count - 1) * step + columns
    floats = np.ctypeslib.as_array((ctypes.c_float * span).from_address(address))
    return np.lib.stride_tricks.as_strided(floats, (count, columns), (step * 4, 4))


class Scale:
    """y = x * weight + number, and h = x + residual where there is one. A group of 3 blocks takes 2
    rows, and there are 10 groups at most."""

    def __init__(self, plan, codes):
        self.plan, self.codes = plan, codes

    def go(self, device, blocks, *arguments):
        assert len(arguments) == len(self.codes)
        x, residual, weight, y, h, count, columns, *steps, number = arguments
        assert blocks == 3 * min((count + 1) // 2, 10)
        total = matrix(x, count, columns, steps[0]).copy()
        if residual:
            total += matrix(residual, count, columns, steps[1])
            matrix(h, count, columns, steps[3])[:] = total
        product = total * matrix(weight, 1, columns, columns)
        matrix(y, count, columns, steps[2])[:] = product + number
        CALLS.append(self.plan)


CALLS = []


def plan(columns, dtype, aligned, few):
    if columns > 100:
        return None
    return (columns, dtype, aligned, few)


def recalled(fields, columns, dtype, aligned):
    return plan(*fields["as"]) if "as" in fields else None


def prepared(plan, dtype, codes):
    return Prepared(Scale(plan, codes).go, 2, 3, 10)


@pytest.fixture(autouse=True)
def _cpu_for_a_gpu(monkeypatch, tmp_path):
    module = ModuleType("scale_rung")
    module.plan, module.prepared, module.recalled = plan, prepared, recalled
    monkeypatch.setitem(sys.modules, "scale_rung", module)
    for name, stand_in in {
        "usable": lambda device: True,
        "processors": lambda device: SMS,
        "slug": lambda device: "cpu",
        "at": lambda device: nullcontext(),
        "measured": lambda device, key, few: None,
    }.items():
        monkeypatch.setattr(rows, name, stand_in)
    CALLS.clear()


def alone():
    return RowKernel("scale", "scale_rung", (True, False), 1, 1)


def added():
    return RowKernel("add_scale", "scale_rung", (True, True), 1, 1)


def assert_filled(x, weight, y):
    answer = x.clone() * weight + 0.5
    assert alone().fill([x], [weight], [y], 0.5)
    torch.testing.assert_close(y, answer)


LAYOUTS = {
    "contiguous": lambda a, b, c: torch.randn(a, b, c),
    "cut": lambda a, b, c: torch.randn(a, b, c + 5)[..., 3:-2],
    "every other row": lambda a, b, c: torch.randn(a, b, 2, c)[..., 1, :],
    "every other column": lambda a, b, c: torch.randn(a, b, c, 2)[..., 1],
    "transposed": lambda a, b, c: torch.randn(a, c, b).mT,
    "permuted": lambda a, b, c: torch.randn(b, a, c).transpose(0, 1),
    "one row": lambda a, b, c: torch.randn(1, 1, c),
}


@pytest.mark.parametrize("of_y", LAYOUTS)
@pytest.mark.parametrize("of_x", [*LAYOUTS, "repeated rows", "repeated columns"])
def test_any_strides_in_and_out(of_x, of_y):
    y = LAYOUTS[of_y](6, 4, 7)
    if of_x == "repeated rows":
        x = torch.randn(7).expand(y.shape)
    elif of_x == "repeated columns":
        x = torch.randn(*y.shape[:-1], 1).expand(y.shape)
    else:
        x = LAYOUTS[of_x](*y.shape)
    assert_filled(x.expand(y.shape), torch.randn(14)[::2], y)


def test_out_is_the_input_or_overlaps_it_in_part():
    buffer = torch.randn(7, 10)
    assert_filled(buffer[:6], torch.randn(10), buffer[:6])
    assert_filled(buffer[1:], torch.randn(10), buffer[:6])
    assert_filled(buffer[:, 2:8], torch.randn(6), buffer[:, 1:7])
    assert_filled(buffer[:, :5], torch.randn(5), buffer[:, 5:])


def test_out_that_holds_the_weight():
    buffer = torch.randn(3, 4)
    assert_filled(torch.randn(3, 4), buffer[1], buffer)


def test_a_residual_that_is_updated_in_place():
    x, residual, weight = torch.randn(3, 4), torch.randn(3, 4), torch.randn(4)
    total = x + residual
    assert added().fill([x, residual], [weight], [x, residual], 0.5)
    torch.testing.assert_close(residual, total)
    torch.testing.assert_close(x, total * weight + 0.5)


def test_nothing_is_launched_for_no_elements():
    assert alone().fill([torch.empty(0, 4)], [torch.ones(4)], [torch.empty(0, 4)], 0.5)
    assert CALLS == []


def test_a_row_that_no_kernel_holds_is_left_to_torch():
    x = torch.randn(2, 101)
    assert not alone().fill([x], [torch.ones(101)], [torch.empty(2, 101)], 0.5)


def asked(kernel, x, y=None, weight=None):
    y = torch.empty_like(x) if y is None else y
    kernel.fill([x], [torch.ones(x.shape[-1]) if weight is None else weight], [y], 0.5)
    return CALLS[-1]


def test_the_plan_is_asked_for_by_columns_dtype_alignment_and_few_rows_or_many():
    kernel = alone()
    assert asked(kernel, torch.randn(3, 8)) == (8, torch.float32, ALIGNED, True)
    assert asked(kernel, torch.randn(4, 8)) == (8, torch.float32, ALIGNED, False)
    assert asked(kernel, torch.randn(1000, 8)) == (8, torch.float32, ALIGNED, False)
    assert asked(kernel, torch.randn(4, 7)) == (7, torch.float32, ALIKE, False)
    assert asked(kernel, torch.randn(4, 9)[:, 1:]) == (8, torch.float32, APART, False)
    shifted = torch.randn(4, 16)
    assert asked(kernel, shifted[:, 1:9], shifted[:, 1:9]) == (8, torch.float32, ALIKE, False)
    assert asked(kernel, torch.randn(4, 8), weight=torch.ones(9)[1:])[2] == ALIKE


def test_any_number_of_rows_is_two_launches_at_most():
    kernel = alone()
    for count in range(1, 20):
        asked(kernel, torch.randn(count, 8))
    assert len(kernel.pairs) == len(kernel.direct) == 1


def test_a_measured_plan_goes_before_the_rule_for_contiguous_tensors_alone(monkeypatch):
    other = {"as": (9, torch.float16, 5, True)}
    monkeypatch.setattr(
        rows, "measured", lambda device, key, few: other if key == "scale float32 8" else None
    )
    kernel = alone()
    assert asked(kernel, torch.randn(4, 8)) == other["as"]
    assert asked(kernel, torch.randn(4, 9)[:, 1:]) == (8, torch.float32, APART, False)
    assert asked(kernel, torch.randn(4, 12)) == (12, torch.float32, ALIGNED, False)


def test_a_measured_plan_that_makes_no_sense_is_passed_over(monkeypatch):
    monkeypatch.setattr(rows, "measured", lambda device, key, few: {"threads": 3})
    assert asked(alone(), torch.randn(4, 8)) == (8, torch.float32, ALIGNED, False)


def test_the_key_of_a_measured_plan_is_that_of_the_file(monkeypatch):
    keys = set()
    monkeypatch.setattr(rows, "measured", lambda device, key, few: keys.add(key))
    for count in (1, 3, 100):
        asked(alone(), torch.randn(count, 8))
    assert keys == {plans.key("scale", torch.float32, 8)}
