"""What matmul and topk hand to a kernel, straight and the long way. Torch and numpy stand in for
kernels, on the CPU, and fill what they are handed."""

import ctypes
from contextlib import nullcontext
from importlib import import_module
from itertools import product

import numpy as np
import pytest
import torch
from products import assert_near, truth
from recorded import Recorded

from warpbook.kernels.ops.explanation import Explanation
from warpbook.kernels.ops.makers import usual

CPU = -1  # as a tensor on it numbers its device

matmul, topk, gemv, fused_launch = (
    import_module(f"warpbook.kernels.ops.{name}")
    for name in ("matmul", "topk", "gemv", "fused_launch")
)


@pytest.fixture(autouse=True)
def handed(monkeypatch):
    """The matrices that a kernel was handed, in order; and the CPU passes for a GPU."""
    seen = []

    def product(a, b, bias, activation, y):
        seen.extend((a, b, y))
        assert 1 in a.stride()
        assert 1 in b.stride()
        assert y.is_contiguous()
        y.copy_(truth(a, b, bias, activation))

    for module in (matmul, topk):
        monkeypatch.setattr(module, "usable", lambda device: True)
        monkeypatch.setattr(module, "at", lambda device: nullcontext())
    monkeypatch.setattr(matmul, "LAUNCHES", {})
    monkeypatch.setattr(matmul, "how_on_cuda", lambda tensor: True)
    monkeypatch.setattr(matmul, "current", lambda: CPU)
    monkeypatch.setattr(matmul, "chosen", lambda *_: Explanation("stand-in", ""))
    monkeypatch.setitem(matmul.MAKERS, "stand-in", product)
    return seen


MATRICES = {
    "contiguous": lambda *shape: torch.randn(shape),
    "turned": lambda *shape: torch.randn(shape[::-1]).permute(*range(len(shape))[::-1]),
    "cut": lambda *shape: torch.randn(*shape[:-1], shape[-1] + 3)[..., 2:-1],
    "strided": lambda *shape: torch.randn(*shape, 2)[..., 1],
    "one row": lambda *shape: torch.randn(shape[-1]).expand(shape),
    "one column": lambda *shape: torch.randn(*shape[:-1], 1).expand(shape),
}
IN_PLACE = ("contiguous", "turned", "cut")


@pytest.mark.parametrize("of_b", MATRICES)
@pytest.mark.parametrize("of_a", MATRICES)
@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 5), (1, 5), (5,)], ids=str)
def test_matrices_are_read_where_they_lie_if_they_are_matrices(shape, of_a, of_b, handed):
    a, b, y = MATRICES[of_a](*shape), MATRICES[of_b](5, 6), torch.empty(*shape[:-1], 6)
    assert matmul.fill(a, b, None, None, "ieee", y)
    assert_near(y, truth(a, b), 5)
    assert (handed[1].data_ptr() == b.data_ptr()) == (of_b in IN_PLACE)
    if len(shape) == 2 and shape[0] > 1:
        assert (handed[0].data_ptr() == a.data_ptr()) == (of_a in IN_PLACE)


def test_a_batch_of_rows_at_one_distance_is_one_matrix(handed):
    a, b, y = torch.randn(2, 3, 8)[..., :5], torch.randn(5, 6), torch.empty(2, 3, 6)
    assert matmul.fill(a, b, None, None, "ieee", y)
    assert handed[0].data_ptr() == a.data_ptr()
    assert handed[0].shape == (6, 5)
    assert_near(y, truth(a, b), 5)


@pytest.mark.parametrize("shapes", [((4, 5), (5,)), ((2, 3, 5), (5,)), ((5,), (5,))], ids=str)
def test_a_vector_is_a_column_of_b(shapes):
    a, b = (torch.randn(shape) for shape in shapes)
    y = torch.empty(shapes[0][:-1])
    assert matmul.fill(a, b, None, None, "ieee", y)
    assert_near(y, truth(a, b), 5)


def test_a_bias_with_gaps_and_an_activation():
    a, b, bias, y = torch.randn(4, 5), torch.randn(5, 6), torch.randn(12)[::2], torch.empty(4, 6)
    assert matmul.fill(a, b, bias, "silu", "ieee", y)
    assert_near(y, truth(a, b, bias, "silu"), 5)


def test_where_out_overlaps_what_is_read_it_is_written_last(handed):
    memory = torch.randn(60)
    a, b, bias = memory[:25].view(5, 5), memory[25:50].view(5, 5), memory[50:55]
    for start in (0, 3, 20, 30, 47, 52):
        kept, out = memory.clone(), memory[start:][:5].view(1, 5)
        answer = truth(a[:1], b, bias)
        assert matmul.fill(a[:1], b, bias, None, "ieee", out)
        assert_near(out, answer, 5)
        assert handed[-1].data_ptr() != out.data_ptr() or start in (5, 20)
        memory.copy_(kept)
    out = memory[55:].view(1, 5)
    matmul.fill(a[:1], b, bias, None, "ieee", out)
    assert handed[-1].data_ptr() == out.data_ptr()


@pytest.mark.parametrize("of_out", ["contiguous", "turned", "cut", "strided"])
def test_out_may_lie_any_way(of_out):
    a, b, out = torch.randn(4, 5), torch.randn(5, 6), MATRICES[of_out](4, 6)
    assert matmul.fill(a, b, None, None, "ieee", out)
    assert_near(out, truth(a, b), 5)


def test_batches_of_b_and_products_without_terms_are_left_to_torch(handed):
    a, b = torch.randn(2, 4, 5), torch.randn(2, 5, 6)
    assert not matmul.fill(a, b, None, None, "ieee", torch.empty(2, 4, 6))
    assert not matmul.fill(a[..., :0], b[0, :0], None, None, "ieee", torch.empty(2, 4, 6))
    assert matmul.fill(a[:, :0], b[0], None, None, "ieee", torch.empty(2, 0, 6))
    assert handed == []


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: (torch.randn(8, 16), torch.randn(16, 4)), ("nn", True)),
        (lambda: (torch.randn(8, 16), torch.randn(4, 16).T), ("nt", True)),
        (lambda: (torch.randn(16, 8).T, torch.randn(16, 4)), ("tn", True)),
        (lambda: (torch.randn(8, 17), torch.randn(17, 4)), ("nn", False)),
        (lambda: (torch.randn(8, 17)[:, 1:], torch.randn(16, 4)), ("nn", False)),
        (lambda: (torch.randn(8, 20)[:, 4:], torch.randn(16, 4)), ("nn", True)),
        (lambda: (torch.randn(129)[1:].view(8, 16), torch.randn(16, 4)), ("nn", False)),
        (lambda: (torch.randn(1, 17)[:, :16], torch.randn(16, 4)), ("nn", True)),
        (lambda: (torch.randn(2, 4, 16), torch.randn(16, 4)), ("nn", True)),
        (lambda: (torch.randn(2, 4, 17).mT[:, :16], torch.randn(4, 4)), ("nn", True)),
    ],
)
def test_what_a_choice_is_told(make, expected):
    a, b = make()
    found = matmul.product_of(a, b, None, "relu", "ieee")
    assert (found.layouts, found.aligned) == expected
    assert found[:3] == (a.numel() // a.shape[-1], b.shape[1], a.shape[-1])
    assert (found.bias, found.activation) == (False, True)


@pytest.fixture
def seen(monkeypatch):
    """Makes a product of operands like these; from then on what is not straight is an error."""

    def once(a, b, bias=None, activation=None):
        y = torch.empty(*a.shape[:-1], b.shape[1])
        matmul.fill(a, b, bias, activation, "ieee", y)
        monkeypatch.setattr(matmul, "MATMUL", refuse)

    return once


class NotStraight(Exception):
    pass


def refuse(*arguments, **keywords):
    raise NotStraight


@pytest.mark.parametrize("shape", [(4, 8), (2, 3, 8)], ids=str)
@pytest.mark.parametrize("of_b", ["contiguous", "turned"])
@pytest.mark.parametrize("activation", [None, "silu"])
@pytest.mark.parametrize("bias", [None, torch.randn(4)], ids=["no bias", "bias"])
def test_the_second_product_goes_straight(shape, of_b, bias, activation, seen):
    a, b = torch.randn(shape), MATRICES[of_b](8, 4)
    seen(a, b, bias, activation)
    answer = truth(a, b, bias, activation)
    assert_near(matmul.matmul(a, b, bias, activation), answer, 8)
    out = torch.empty(*shape[:-1], 4)
    assert matmul.matmul(a, b, bias, activation, out=out) is out
    assert_near(out, answer, 8)
    assert out._version > 0


@pytest.mark.parametrize("by", ["cuBLAS", "gemv"])
def test_the_second_product_by_others(by, seen, monkeypatch):
    monkeypatch.setattr(matmul, "chosen", lambda *_: Explanation(by, ""))
    handed = []
    launch = gemv.Launch(lambda *given: handed.append(given), 3, 0)
    monkeypatch.setattr(gemv, "prepared", lambda *_: launch)
    monkeypatch.setitem(matmul.MAKERS, "gemv", lambda *_: None)
    a, b = torch.randn(1, 8), torch.randn(4, 8).T
    seen(a, b)
    y = matmul.matmul(a, b)
    if by == "cuBLAS":
        assert_near(y, truth(a, b), 8)
    else:
        assert handed == [(CPU, 3, b.data_ptr(), a.data_ptr(), y.data_ptr(), 4, 8, 8, 0, 1)]


@pytest.mark.parametrize("layouts", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [
        (4096, 4096, 64),
        (16, 9216, 2560),
        (64, 4096, 14336),
        (512, 1000, 64),
        (96, 40, 4096),
        (8, 1001, 64),
    ],
)
def test_the_fused_product_is_launched_as_the_rung_launches_it(m, n, k, layouts, monkeypatch):
    kernel = Recorded("128s" * 3 + "q" * 19)
    cases = []
    monkeypatch.setattr(fused_launch.rung, "ready", lambda *case: cases.append(case) or kernel)
    monkeypatch.setattr(fused_launch.rung, "tickets", lambda device: torch.empty(0))
    monkeypatch.setattr(fused_launch.rung, "tensor_map", told)
    monkeypatch.setattr(fused_launch, "encoded", lambda *place: str(place))
    monkeypatch.setattr(fused_launch, "processors", lambda device: 132)
    monkeypatch.setattr(fused_launch.rung, "multiprocessors", lambda device: 132)
    a = torch.empty(m, k) if layouts[0] == "n" else torch.empty(k, m).T
    b = torch.empty(k, n) if layouts[1] == "n" else torch.empty(n, k).T
    a, b = a.bfloat16(), b.bfloat16()
    bias, y = torch.zeros(n).bfloat16(), torch.empty(m, n).bfloat16()
    fill = fused_launch.fused_launch(a, b, True, 2)
    if fill is None:
        assert n % 8 or m % 8 or (layouts[0] == "t" and m < 64)
        return
    fill(a, b, bias, y)
    fused_launch.rung.matmul_bf16(a, b, bias, 2, y)
    straight, rung = kernel.launches
    sums = 5  # in memory that is new each time
    for launch in (straight, rung):
        launch[3][sums] = bool(launch[3][sums])
    assert straight == rung
    assert cases[0] == cases[1]


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("layout", ["n", "t"])
def test_a_warm_up_leaves_no_usual_product_to_be_compiled(layout, biased, monkeypatch):
    needed = set()
    kernel = Recorded("128s" * 3 + "q" * 19)
    monkeypatch.setattr(fused_launch.rung, "ready", lambda *case: needed.add(case) or kernel)
    monkeypatch.setattr(fused_launch.rung, "tickets", lambda device: torch.empty(0))
    monkeypatch.setattr(fused_launch.rung, "tensor_map", told)
    monkeypatch.setattr(fused_launch.rung, "multiprocessors", lambda device: 132)
    rows = (1, 8, 48, 64, 100, 128, 200, 256, 512, 1500, 4096)
    columns = (8, 24, 64, 72, 256, 2560, 4096, 9216, 50264)
    for m, n, k in product(rows, columns, (64, 2560, 14336)):
        a = torch.empty(m, k, dtype=torch.bfloat16)
        b = torch.empty((k, n) if layout == "n" else (n, k), dtype=torch.bfloat16)
        bias = torch.empty(n, dtype=torch.bfloat16) if biased else None
        y = torch.empty(m, n, dtype=torch.bfloat16)
        if m > 1 or biased or layout == "n":  # else gemv has it
            fused_launch.rung.matmul_bf16(a, b if layout == "n" else b.T, bias, 0, y)
    assert len({tile for tile, _, _ in needed}) > 10
    assert {(tile, case) for tile, _, case in needed if case not in usual(tile)} == set()


def told(matrix, box, swizzle=128):
    place = (matrix.data_ptr(), *matrix.shape, matrix.stride(0) * matrix.itemsize)
    return str((*place, matrix.dtype, box, swizzle))


def test_what_does_not_go_straight(seen):
    a, b, bias = torch.randn(4, 8), torch.randn(8, 4), torch.randn(4)
    seen(a, b, bias)
    memory = torch.randn(40)
    for arguments, keywords in (
        ((a[:, :4].contiguous(), b[:4], bias), {}),
        ((torch.randn(4, 9)[:, :8], b, bias), {}),
        ((memory[1:33].view(4, 8), b, bias), {}),
        ((a, b.half(), bias), {}),
        ((a, b), {}),
        ((a, b, torch.randn(8)[::2]), {}),
        ((a, b, torch.randn(1)), {}),
        ((a, b, bias.half()), {}),
        ((a, b, bias, "relu"), {}),
        ((a, b, bias, "tanh"), {}),
        ((a, b, bias, None, "tf32x3"), {}),
        ((a, b, bias), {"out": torch.empty(4, 4).T}),
        ((a, b, bias), {"out": torch.empty(2, 4)}),
        ((a, b, bias), {"out": torch.empty(4, 4).half()}),
        ((a, b, bias), {"out": a[:2].view(4, 4)}),
        ((a, b, bias), {"out": memory[1:17].view(4, 4)}),
    ):
        with pytest.raises(NotStraight):
            matmul.matmul(*arguments, **keywords)


def test_a_single_number_is_not_remembered():
    """It may be negated lazily, and not look it."""
    y = torch.empty(1, 4)
    matmul.fill(torch.randn(1, 1), torch.randn(1, 4), None, None, "ieee", y)
    matmul.fill(
        torch.randn(4, 8), torch.randn(8, 1), torch.randn(1), None, "ieee", torch.empty(4, 1)
    )
    assert not matmul.LAUNCHES


def memory(address, count, step, columns, kind):
    """The memory itself."""
    span = max((count - 1) * step + columns, 1)
    numbers = np.ctypeslib.as_array((kind * span).from_address(address))
    size = ctypes.sizeof(kind)
    return np.lib.stride_tricks.as_strided(numbers, (count, columns), (step * size, size))


def prepared(device, dtype, rows, columns, k, largest, sorted):
    def go(device, blocks, x, values, indices, *numbers):
        assert (blocks, numbers) == (5, (rows, columns, numbers[2], k, k, k, 7, 8))
        table = memory(x, rows, numbers[2], columns, ctypes.c_float)
        order = np.argsort(-table if largest else table, axis=1)[:, :k]
        memory(indices, rows, k, k, ctypes.c_int64)[:] = order
        memory(values, rows, k, k, ctypes.c_float)[:] = np.take_along_axis(table, order, 1)

    return topk.Launch(go, 5, (rows, columns), (k, k, k, 7, 8))


@pytest.fixture
def _selecting(monkeypatch):
    monkeypatch.setattr(topk, "prepared", prepared)
    monkeypatch.setattr(topk, "how_on_cuda", lambda x: 1 if x.is_contiguous() else 2)
    monkeypatch.setattr(topk, "current", lambda: CPU)
    launches = {
        (CPU, torch.float32, rows, 9, 3, largest, True): prepared(
            CPU, torch.float32, rows, 9, 3, largest, True
        )
        for rows in (1, 4, 6)
        for largest in (True, False)
    }
    monkeypatch.setattr(topk, "LAUNCHES", launches)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("of_out", ["contiguous", "turned", "strided"])
@pytest.mark.parametrize("of_x", MATRICES)
@pytest.mark.parametrize("shape", [(9,), (4, 9), (2, 3, 9)], ids=str)
@pytest.mark.usefixtures("_selecting")
def test_selections_whatever_the_strides(shape, of_x, of_out, largest):
    x, k = MATRICES[of_x](*shape), 3
    values = MATRICES[of_out](*shape[:-1], k)
    indices = torch.empty_strided(values.shape, values.stride(), dtype=torch.int64)
    assert topk.fill(x, k, largest, True, values, indices)
    answer = torch.topk(x, k, -1, largest).values
    assert torch.equal(values, answer)
    assert torch.equal(x.gather(-1, indices), values)
    for given in (None, (values.zero_(), indices.zero_())):
        found = topk.topk(x, k, largest, out=given)
        assert torch.equal(found[0], answer)
        assert torch.equal(x.gather(-1, found[1]), answer)


@pytest.mark.usefixtures("_selecting")
def test_selections_go_straight_where_it_is_safe(monkeypatch):
    monkeypatch.setattr(topk, "TOPK", refuse)
    x, shared = torch.randn(4, 9), torch.empty(24, dtype=torch.int64)
    out = torch.empty(4, 3), torch.empty(4, 3, dtype=torch.int64)
    assert topk.topk(x, 3, out=out) is out
    assert [tensor._version for tensor in out] == [1, 1]
    both = shared.view(torch.float32)[:12].view(4, 3), shared[3:15].view(4, 3)
    for arguments, given in (
        ((x[:, :8], 3), None),
        ((x, 2), None),
        ((x, 3, False, False), None),
        ((x.half(), 3), None),
        ((x, 3), (x[:, :3], out[1])),
        ((x, 3), (x.view(-1)[:12].view(4, 3), out[1])),
        ((x, 3), (out[0], out[1].int())),
        ((x, 3), (out[0],)),
        ((x, 3), both),
    ):
        with pytest.raises(NotStraight):
            topk.topk(*arguments, out=given)
    with pytest.raises(TypeError, match="largest is 1; it must be True or False"):
        topk.topk(x, 3, 1)


@pytest.mark.usefixtures("_selecting")
def test_selections_over_what_they_come_from():
    x = torch.randn(4, 9)
    kept, indices = x.clone(), torch.empty(4, 3, dtype=torch.int64)
    assert topk.fill(x, 3, True, True, x.view(-1)[5:17].view(4, 3), indices)
    assert torch.equal(x.view(-1)[5:17].view(4, 3), torch.topk(kept, 3).values)


def test_selections_that_are_left_to_torch():
    x, none = torch.randn(3, 2000), torch.empty(0)
    assert not topk.fill(x, 1025, True, True, none, none)
    assert not topk.fill(torch.tensor(1.0), 1, True, True, none, none)
    assert topk.fill(x, 0, True, True, x[:, :0], x[:, :0].long())
