"""ops.topk on a CPU, beside torch's own, and what it refuses."""

import pytest
import torch
from selections import assert_topk
from torch._subclasses.fake_tensor import FakeTensorMode

from warpbook import ops

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
SHAPES = [(7,), (1,), (3, 63), (2, 3, 1000), (1000, 1), (0, 7), (2, 0, 7), (3, 2000)]
both = pytest.mark.parametrize("largest", [True, False], ids=["largest", "smallest"])


@both
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_last_dimension_of_any_shape(shape, dtype, largest):
    x = torch.randn(shape).to(dtype)
    for k in {0, 1, shape[-1] // 2, shape[-1]}:
        assert_topk(ops.topk(x, k, largest), x, k, largest)
        assert_topk(ops.topk(x, k, largest, sorted=False), x, k, largest, in_order=False)


@both
def test_nan_infinities_and_ties_are_ordered_as_in_torch(largest):
    x = torch.randn(4, 50)
    x[0, 3] = x[0, 40] = torch.nan
    x[1, 5], x[1, 6] = torch.inf, -torch.inf
    x[2] = 1.0
    x[3] = torch.nan
    for k in (1, 2, 10, 50):
        assert_topk(ops.topk(x, k, largest), x, k, largest)


def test_a_row_without_columns_has_its_none():
    values, indices = ops.topk(torch.empty(3, 0), 0)
    assert values.shape == indices.shape == (3, 0)


@pytest.mark.parametrize("k", [0, 1])
def test_a_tensor_without_dimensions_is_as_in_torch(k):
    values, indices = ops.topk(torch.tensor(3.0), k)
    assert (values, indices) == torch.topk(torch.tensor(3.0), k)
    with pytest.raises(RuntimeError, match="k is 2 and a row has 1 column; k must be from 0 to 1"):
        ops.topk(torch.tensor(3.0), 2)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.mT,
        lambda x: x[..., ::2],
        lambda x: x[..., 1:],
        lambda x: x[:1].expand_as(x),
        lambda x: x[:, :1].expand_as(x),
        lambda x: torch.ones(()).expand_as(x),
        lambda x: torch.complex(x, x).conj().imag,
    ],
    ids=["transposed", "strided", "cut", "rows repeated", "columns repeated", "one", "negated"],
)
def test_strides_do_not_matter(view):
    x = view(torch.randn(6, 8))
    assert_topk(ops.topk(x, 3), x, 3)


def test_out_is_filled_and_returned():
    x = torch.randn(4, 9)
    out = torch.full((4, 3), torch.nan), torch.full((4, 3), -1)
    assert ops.topk(x, 3, out=out) is out
    assert_topk(out, x, 3)
    out = torch.empty(4, 6)[:, ::2], torch.empty(3, 4, dtype=torch.int64).mT
    ops.topk(x, 3, out=out)
    assert_topk([t.contiguous() for t in out], x, 3)
    negated = torch.empty(4, 3, dtype=torch.complex64).conj().imag
    assert negated.is_neg()
    ops.topk(x, 3, out=(negated, out[1]))
    assert_topk([t.contiguous() for t in (negated, out[1])], x, 3)


def test_out_may_overlap_the_row():
    x = torch.randn(4, 9)
    kept = x.clone()
    indices = torch.empty(4, 3, dtype=torch.int64)
    ops.topk(x, 3, out=(x[:, :3], indices))
    assert_topk((x[:, :3].contiguous(), indices), kept, 3)


def test_out_that_does_not_fit():
    x, values, indices = torch.randn(4, 9), torch.empty(4, 3), torch.empty(4, 3, dtype=torch.int64)
    with pytest.raises(TypeError, match="indices is int32; indices are int64"):
        ops.topk(x, 3, out=(values, indices.int()))
    with pytest.raises(TypeError, match="the input is float32 and values is float16"):
        ops.topk(x, 3, out=(values.half(), indices))
    with pytest.raises(ValueError, match=r"indices has shape \(4, 2\); it must be \(4, 3\)"):
        ops.topk(x, 3, out=(values, indices[:, :2]))
    with pytest.raises(RuntimeError, match="is on cpu and indices is on meta"):
        ops.topk(x, 3, out=(values, indices.to("meta")))
    with pytest.raises(TypeError, match=r"indices is torch\.sparse_coo; only strided tensors"):
        ops.topk(x, 3, out=(values, indices.to_sparse()))
    with pytest.raises(TypeError, match="out= takes values and indices, a tensor each"):
        ops.topk(x, 3, out=values)
    with pytest.raises(RuntimeError, match="out= takes no part in gradients"):
        ops.topk(x.requires_grad_(), 3, out=(values, indices))


def test_values_and_indices_need_memory_of_their_own():
    x, memory = torch.randn(4, 9), torch.empty(4, 6, dtype=torch.int64)
    floats = memory.view(torch.float32)  # two of them in each int64
    with pytest.raises(ValueError, match="values and indices overlap in memory"):
        ops.topk(x, 3, out=(floats[:, 3:6], memory[:, :3]))
    ops.topk(x, 3, out=(floats[:, 6:9], memory[:, :3]))
    assert_topk((floats[:, 6:9].contiguous(), memory[:, :3].contiguous()), x, 3)


@pytest.mark.parametrize("k", [8, -1, 2000])
def test_k_beyond_the_row(k):
    with pytest.raises(RuntimeError, match=rf"k is {k} and a row has 7 columns; k must be from 0"):
        ops.topk(torch.randn(3, 7), k)


def test_arguments_of_the_wrong_kind():
    x = torch.randn(3, 7)
    with pytest.raises(TypeError, match="k is of type float; it must be a whole number"):
        ops.topk(x, 2.5)
    with pytest.raises(TypeError, match="k is of type bool"):
        ops.topk(x, True)
    with pytest.raises(TypeError, match="largest is -1; it must be True or False"):
        ops.topk(x, 2, -1)
    with pytest.raises(TypeError, match="sorted is None; it must be True or False"):
        ops.topk(x, 2, sorted=None)
    with pytest.raises(TypeError, match="x is of type NoneType; it must be a tensor"):
        ops.topk(None, 2)
    for dtype in (torch.float64, torch.int64, torch.bool, torch.complex64):
        with pytest.raises(TypeError, match="float32, float16 and bfloat16 are supported"):
            ops.topk(x.to(dtype), 2)
    with pytest.raises(TypeError, match="only strided tensors are supported"):
        ops.topk(x.to_sparse(), 2)


def test_torch_finds_nothing_wrong_with_the_registration():
    x = torch.randn(3, 7)
    out = {"values": torch.empty(3, 2), "indices": torch.empty(3, 2, dtype=torch.int64)}
    for overload, written in (
        (torch.ops.warpbook.topk.default, {}),
        (torch.ops.warpbook.topk_into.default, out),
    ):
        checks = torch.library.opcheck(overload, (x, 2, True, True), written)
        assert set(checks.values()) == {"SUCCESS"}


def test_gradients_are_those_of_torch():
    x = torch.randn(3, 7)
    found, wanted = (
        torch.autograd.grad(f(leaf, 2)[0].square().sum(), leaf)
        for f in (ops.topk, torch.topk)
        for leaf in [x.clone().requires_grad_()]
    )
    torch.testing.assert_close(found, wanted)


def test_vmap_compiled_graphs_and_tensors_without_data():
    x = torch.randn(5, 3, 7)
    values, indices = torch.vmap(lambda row: ops.topk(row, 2))(x)
    assert_topk((values, indices), x, 2)
    torch._dynamo.reset()
    function = torch.compile(lambda x: ops.topk(x, 2), fullgraph=True, backend="eager")
    assert_topk(function(x), x, 2)
    function = torch.compile(ops.topk, fullgraph=True, backend="eager", dynamic=True)
    for k in (2, 3, 5):
        assert_topk(function(x[..., : k + 1], k), x[..., : k + 1], k)
    assert [t.shape for t in ops.topk(x.to("meta"), 2)] == [(5, 3, 2)] * 2
    halves = x.half()
    with FakeTensorMode() as mode:
        values, indices = ops.topk(mode.from_tensor(halves), 2)
    assert (values.dtype, indices.dtype, indices.shape) == (torch.float16, torch.int64, (5, 3, 2))
    with torch.autocast("cpu"):
        assert ops.topk(x.bfloat16(), 2)[0].dtype == torch.bfloat16
