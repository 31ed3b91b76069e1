"""ops.matmul on a CPU, beside torch's own answer in float64, and what it refuses."""

import pytest
import torch
from products import DTYPES, assert_near, truth
from torch._subclasses.fake_tensor import FakeTensorMode

from warpbook import ops

SHAPES = [
    ((4, 5), (5, 6)),
    ((2, 3, 4, 5), (5, 6)),
    ((5,), (5, 6)),
    ((4, 5), (5,)),
    ((2, 4, 5), (5,)),
    ((5,), (5,)),
    ((1, 1), (1, 1)),
    ((63, 100), (100, 17)),
    ((2, 4, 5), (2, 5, 6)),
    ((4, 5), (3, 5, 6)),
    ((5,), (3, 5, 6)),
    ((2, 1, 4, 5), (3, 5, 6)),
]
EMPTY = [
    ((0, 5), (5, 6)),
    ((4, 5), (5, 0)),
    ((4, 0), (0, 6)),
    ((0, 0), (0, 0)),
    ((2, 0, 5), (5, 6)),
    ((0,), (0, 6)),
    ((0,), (0,)),
    ((0, 4, 5), (0, 5, 6)),
]
names = pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_the_shapes_are_those_of_torch(shapes, dtype):
    a, b = (torch.randn(shape).to(dtype) for shape in shapes)
    y = ops.matmul(a, b)
    assert y.dtype == dtype
    assert y.is_contiguous()
    assert_near(y, truth(a, b), a.shape[-1])


@pytest.mark.parametrize("shapes", EMPTY, ids=str)
def test_a_product_without_terms_is_zero_and_one_without_rows_is_empty(shapes):
    a, b = (torch.ones(shape) for shape in shapes)
    y, answer = ops.matmul(a, b), torch.matmul(a, b)
    assert torch.equal(y, answer)
    if b.dim() > 1:
        bias = torch.randn(b.shape[-1])
        assert torch.equal(ops.matmul(a, b, bias, "relu"), torch.relu(answer + bias))


@names
@pytest.mark.parametrize("biased", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bias_and_activation(activation, biased, dtype):
    a, b = torch.randn(2, 4, 9).to(dtype), torch.randn(9, 6).to(dtype)
    bias = torch.randn(6).to(dtype) if biased else None
    assert_near(ops.matmul(a, b, bias, activation), truth(a, b, bias, activation), 9)
    batch = torch.stack([b, -b])
    assert_near(ops.matmul(a, batch, bias, activation), truth(a, batch, bias, activation), 9)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.mT.contiguous().mT,
        lambda x: x[..., ::2],
        lambda x: x[..., 1:],
        lambda x: x[:1].expand_as(x),
        lambda x: x[:, :1].expand_as(x),
        lambda x: x.mT,
        lambda x: torch.zeros(()).expand_as(x),
    ],
    ids=["turned", "strided", "cut", "rows repeated", "columns repeated", "mT", "one number"],
)
def test_strides_do_not_matter(view):
    a = view(torch.randn(6, 8))
    for b in (view(torch.randn(a.shape[1], 8))[:, :3], view(torch.randn(8, a.shape[1])).mT[:, :3]):
        if b.shape[0] == a.shape[1]:
            assert_near(ops.matmul(a, b), truth(a, b), a.shape[1])


def test_three_products_of_tf32_are_for_float32():
    a, b = torch.randn(4, 5), torch.randn(5, 6)
    assert_near(ops.matmul(a, b, precision="tf32x3"), truth(a, b), 5)
    with pytest.raises(TypeError, match="precision 'tf32x3' is for float32, and a is bfloat16"):
        ops.matmul(a.bfloat16(), b.bfloat16(), precision="tf32x3")


def test_numbers_that_are_all_equal():
    for number in (1.0, 0.0, torch.inf, torch.nan):
        a, b = torch.full((4, 5), number), torch.full((5, 6), number)
        assert_close = torch.testing.assert_close
        assert_close(ops.matmul(a, b), torch.full((4, 6), 5 * number * number), equal_nan=True)


def test_nan_and_infinities_come_out_as_in_torch():
    a, b = torch.randn(4, 5), torch.randn(5, 6)
    a[1, 2], a[2, 0], b[3, 4] = torch.nan, torch.inf, -torch.inf
    torch.testing.assert_close(ops.matmul(a, b), torch.matmul(a, b), equal_nan=True)


@pytest.mark.parametrize(
    "make",
    [
        torch.empty,
        lambda *shape: torch.empty(shape[::-1]).mT,
        lambda *shape: torch.empty(*shape, 2)[..., 0],
    ],
    ids=["contiguous", "turned", "strided"],
)
def test_out_is_filled_and_returned(make):
    a, b, out = torch.randn(4, 5), torch.randn(5, 6), make(4, 6).fill_(torch.nan)
    assert ops.matmul(a, b, out=out) is out
    assert_near(out, truth(a, b), 5)


def negated(*shape):
    return torch.empty(shape, dtype=torch.complex64).conj().imag


def test_operands_and_out_that_are_negated_lazily():
    a, b, bias = negated(4, 5).normal_(), negated(5, 6).normal_(), negated(6).normal_()
    out = negated(4, 6)
    assert all(tensor.is_neg() for tensor in (a, b, bias, out))
    assert ops.matmul(a, b, bias, out=out) is out
    answer = truth(a, b, bias)
    assert_near(out, answer, 5)
    assert_near(ops.matmul(a, b, bias), answer, 5)


def test_out_may_be_an_operand_or_the_bias():
    a, b = torch.randn(5, 5), torch.randn(5, 5)
    answer = truth(a, b)
    assert_near(ops.matmul(a.clone(), b, out=a), answer, 5)
    both = torch.randn(6, 5)
    answer = truth(both[:1], b, both[1])
    assert_near(ops.matmul(both[:1], b, both[1], out=both[1:2]), answer, 5)


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        (((4, 5), (6, 5)), r"a's last dimension must be b's last but one, or its only"),
        (((4, 5), (4,)), r"a has shape \(4, 5\) and b \(4,\); a's last dimension"),
        (((2, 4, 5), (3, 5, 6)), r"their leading dimensions do not go together"),
        (((), (5, 6)), r"each needs at least one dimension"),
        (((4, 5), ()), r"each needs at least one dimension"),
        (((4, 5), (5, 6), (5,)), r"and bias \(5,\); it needs a number for each column of b"),
        (((4, 5), (5, 6), (1, 6)), r"it needs a number for each column of b"),
        (((4, 5), (5,), (1,)), r"it needs a number for each column of b"),
    ],
)
def test_shapes_that_do_not_match(shapes, said):
    with pytest.raises(ValueError, match=said):
        ops.matmul(*(torch.ones(shape) for shape in shapes))


def test_other_dtypes_and_mixed_ones():
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    for dtype in (torch.float64, torch.int64, torch.complex64, torch.bool):
        with pytest.raises(TypeError, match="float32, float16 and bfloat16 are supported"):
            ops.matmul(a.to(dtype), b.to(dtype))
    with pytest.raises(TypeError, match="a is float32 and b is bfloat16; all tensors must have"):
        ops.matmul(a, b.bfloat16())
    with pytest.raises(TypeError, match="a is float32 and bias is float16; all tensors must have"):
        ops.matmul(a, b, torch.ones(4).half())
    with pytest.raises(TypeError, match="the input is float32 and out is float16"):
        ops.matmul(a, b, out=torch.empty(2, 4).half())


def test_mixed_devices():
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    with pytest.raises(RuntimeError, match="a is on cpu and b is on meta; all tensors must be on"):
        ops.matmul(a, b.to("meta"))
    with pytest.raises(RuntimeError, match="the input is on cpu and out is on meta"):
        ops.matmul(a, b, out=torch.empty(2, 4, device="meta"))


def test_what_is_no_tensor_and_what_is_not_there():
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    with pytest.raises(TypeError, match="b is of type NoneType; it must be a tensor"):
        ops.matmul(a, None)
    with pytest.raises(TypeError, match="only strided tensors are supported"):
        ops.matmul(a.to_sparse(), b)
    with pytest.raises(ValueError, match="no activation 'tanh'; there are relu, gelu and silu"):
        ops.matmul(a, b, activation="tanh")
    with pytest.raises(ValueError, match="no precision 'tf32'; there are ieee and tf32x3"):
        ops.matmul(a, b, precision="tf32")
    with pytest.raises(ValueError, match=r"out has shape \(2, 3\); it must be \(2, 4\)"):
        ops.matmul(a, b, out=torch.empty(2, 3))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        ops.matmul(a, b, out=torch.empty(()).expand(2, 4))
    with pytest.raises(RuntimeError, match="out= takes no part in gradients"):
        ops.matmul(a.requires_grad_(), b, out=torch.empty(2, 4))


def test_torch_finds_nothing_wrong_with_the_registration():
    a, b, bias = torch.randn(3, 5), torch.randn(5, 4), torch.randn(4)
    arguments = (a, b, bias, "gelu", "ieee")
    for overload, out in (
        (torch.ops.warpbook.matmul.default, {}),
        (torch.ops.warpbook.matmul_into.default, {"out": torch.empty(3, 4)}),
    ):
        assert set(torch.library.opcheck(overload, arguments, out).values()) == {"SUCCESS"}
    wanting = (a.requires_grad_(), b.requires_grad_(), bias.requires_grad_(), "gelu", "ieee")
    overload = torch.ops.warpbook.matmul.default
    assert set(torch.library.opcheck(overload, wanting).values()) == {"SUCCESS"}


def plainly(a, b, bias):
    return torch.nn.functional.silu(a @ b + bias)


def ours(a, b, bias):
    return ops.matmul(a, b, bias, "silu")


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_gradients_forward_and_backward_are_those_of_torch():
    given = [torch.randn(2, 3, 5), torch.randn(5, 4), torch.randn(4)]
    found, wanted = (
        torch.autograd.grad(f(*wanting).square().sum(), wanting)
        for f in (ours, plainly)
        for wanting in [[t.clone().requires_grad_() for t in given]]
    )
    torch.testing.assert_close(found, wanted)
    directions = tuple(torch.randn_like(t) for t in given)
    found, wanted = (torch.func.jvp(f, tuple(given), directions)[1] for f in (ours, plainly))
    torch.testing.assert_close(found, wanted)


def test_vmap():
    a, b, bias = torch.randn(7, 3, 5), torch.randn(7, 5, 4), torch.randn(4)
    found = torch.vmap(ours, (0, 0, None))(a, b, bias)
    torch.testing.assert_close(found, plainly(a, b, bias))


def test_a_compiled_graph_is_whole_and_has_the_operation_in_it():
    torch._dynamo.reset()
    called = []

    def backend(graph, inputs):
        called.extend(n.target for n in graph.graph.nodes if n.op == "call_function")
        return graph

    a, b, bias = torch.randn(3, 5), torch.randn(5, 4), torch.randn(4)
    function = torch.compile(ours, fullgraph=True, backend=backend)
    torch.testing.assert_close(function(a, b, bias), plainly(a, b, bias))
    assert called == [torch.ops.warpbook.matmul.default]


def test_a_compiled_graph_for_any_sizes():
    torch._dynamo.reset()
    function = torch.compile(ours, fullgraph=True, backend="eager", dynamic=True)
    for n in (3, 7, 9):
        a, b, bias = torch.randn(2, n, n + 2), torch.randn(n + 2, n + 1), torch.randn(n + 1)
        torch.testing.assert_close(function(a, b, bias), plainly(a, b, bias))


def test_tensors_without_data():
    a, b = torch.empty(2, 3, 5, device="meta"), torch.empty(5, 4, device="meta")
    assert ops.matmul(a, b).shape == (2, 3, 4)
    halves = torch.ones(5).half(), torch.ones(5, 4).half()
    with FakeTensorMode() as mode:
        y = ops.matmul(*map(mode.from_tensor, halves))
    assert (y.shape, y.dtype) == ((4,), torch.float16)


def test_autocast_changes_nothing():
    a, b, bias = torch.randn(3, 5), torch.randn(5, 4), torch.randn(4)
    with torch.autocast("cpu"):
        assert torch.equal(ours(a, b, bias), ours(a, b, bias))
        assert ours(a, b, bias).dtype == torch.float32
