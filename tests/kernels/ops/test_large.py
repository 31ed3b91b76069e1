"""matmul and topk of 2^31 elements and more, as far as that shows without their memory: the shapes,
who makes them, and what a kernel is told."""

from contextlib import nullcontext
from importlib import import_module

import pytest
import torch
from recorded import Recorded

from warpbook import ops
from warpbook.kernels.ops.matmul_choice import LONGEST, Product, estimates

topk = import_module("warpbook.kernels.ops.topk")
SMS = 132
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_shapes_of_products(dtype):
    def blank(*shape):
        return torch.empty(shape, dtype=dtype, device="meta")

    for a, b in (
        (blank(2**20, 2**12), blank(2**12, 64)),
        (blank(2**16, 8), blank(8, 2**16)),
        (blank(2**32, 8), blank(8, 4)),
        (blank(3, 2**31), blank(2**31, 3)),
    ):
        assert ops.matmul(a, b).shape == (a.shape[0], b.shape[1])
        assert ops.matmul(a, b, out=blank(a.shape[0], b.shape[1])).numel() == len(a) * b.shape[1]


@pytest.mark.parametrize("which", range(3), ids=["m", "n", "k"])
@pytest.mark.parametrize("dtype", DTYPES[1:], ids=str)
def test_sizes_that_the_kernel_of_16_bits_cannot_count_are_cublas_s(dtype, which):
    sizes = [64, 64, 64]
    sizes[which] = LONGEST
    assert "specialised" in estimates(Product(*sizes, dtype), SMS, True)
    sizes[which] = LONGEST + 1
    assert set(estimates(Product(*sizes, dtype), SMS, True)) == {"cuBLAS"}


def test_products_of_many_elements_and_short_sides_are_still_the_kernel_s():
    assert "specialised" in estimates(Product(2**17, 2**16, 2**16, torch.bfloat16), SMS, True)


def test_the_shapes_of_selections():
    for shape in ((2**25, 64), (2, 2**30), (2**33, 3), (2**32,)):
        x = torch.empty(shape, dtype=torch.bfloat16, device="meta")
        values, indices = ops.topk(x, 3)
        assert values.shape == indices.shape == (*shape[:-1], 3)
        assert indices.dtype == torch.int64


@pytest.fixture
def launches(monkeypatch):
    """Of whatever kernel, for tensors without data."""
    kernel = Recorded("q" * 9)
    for owner, name in ((topk, "kernel"), (topk.rung, "ready"), (topk.radix, "ready")):
        monkeypatch.setattr(owner, name, lambda *_: kernel)
    monkeypatch.setattr(topk, "processors", lambda device: SMS)
    monkeypatch.setattr(topk, "LAUNCHES", {})
    monkeypatch.setattr(topk, "usable", lambda device: True)
    monkeypatch.setattr(topk, "at", lambda device: nullcontext())
    return kernel.launches


def selected(rows, columns, k=2):
    """From one row, shown over and over: all but the results takes no memory."""
    x = torch.empty(1, columns, device="meta").expand(rows, columns)
    values = torch.empty(rows, k, device="meta")
    return topk.fill(x, k, True, True, values, values.long())


@pytest.mark.parametrize(
    ("rows", "columns"), [(2**25, 100), (2**31, 100), (2, 2**30), (2**33 - 2**23, 30)]
)
def test_selections_of_many_elements_are_a_kernel_s(rows, columns, launches):
    assert selected(rows, columns)
    (blocks, _, _, values), *others = launches
    assert others == []
    assert 0 < blocks < 2**31
    assert values[3:6] == [rows, columns, 0]


@pytest.mark.parametrize(
    ("rows", "columns", "k"), [(2**31, 1000, 20), (2**31, 4000, 500), (2**33, 30, 2), (2, 2**31, 2)]
)
def test_rows_and_columns_that_a_kernel_cannot_count_are_left_to_torch(rows, columns, k, launches):
    assert not selected(rows, columns, k)
    assert launches == []
    x = torch.empty(1, columns, device="meta").expand(rows, columns)
    found = topk.described(x, k, True, True, ())
    assert found.by == "torch"
    assert "for the kernels" in found.why
