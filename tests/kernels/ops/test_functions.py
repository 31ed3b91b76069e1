"""What the functions return on a CPU, beside torch's own answer in float64."""

import pytest
import torch
from ops_cases import CASES, as_tuple

from warpbook import ops

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
SHAPES = ((1,), (7,), (1, 1), (3, 63), (2, 3, 4097), (1000, 1), (2, 1, 3, 5), (0, 4), (2, 0, 3))
every = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)


def test_the_public_names_are_these():
    assert sorted(ops.__all__) == [
        "add_layer_norm",
        "add_rms_norm",
        "explain",
        "gemv",
        "layer_norm",
        "matmul",
        "rms_norm",
        "softmax",
        "topk",
        "vector_add",
        "warmup",
    ]


@every
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_leading_shape(case, shape, dtype):
    arguments = case.arguments(shape, dtype)
    results = as_tuple(case.function(*arguments))
    case.check(results, *arguments)
    assert all(r.shape == case.shape(shape) and r.dtype == dtype for r in results)


@every
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 0)], ids=str)
def test_no_columns(case, shape):
    results = as_tuple(case.function(*case.arguments(shape)))
    for result, answer in zip(results, case.answers(*case.arguments(shape)), strict=True):
        assert torch.equal(result.double(), answer)


@every
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.mT.contiguous().mT,
        lambda x: x[..., ::2],
        lambda x: x[..., 1:],
        lambda x: x[:, :1].expand_as(x),
        lambda x: x[..., :1].expand_as(x),
        lambda x: x.permute(2, 0, 1),
    ],
    ids=["transposed", "strided", "cut", "rows repeated", "columns repeated", "permuted"],
)
def test_strides_do_not_matter_and_results_are_contiguous(case, view):
    arguments = [view(a) if a.dim() > 1 else a for a in case.arguments((4, 6, 8))]
    columns = arguments[0].shape[-1]
    arguments = [a if a.dim() > 1 else torch.randn(2 * columns)[::2] for a in arguments]
    results = as_tuple(case.function(*arguments))
    case.check(results, *arguments)
    assert all(result.is_contiguous() for result in results)


@every
@pytest.mark.parametrize("special", [torch.nan, torch.inf, -torch.inf], ids=str)
def test_nan_and_infinities_come_out_as_in_torch(case, special):
    arguments = case.arguments((4, 9))
    arguments[0][1, 2] = special
    arguments[0][2] = special
    case.check(case.function(*arguments), *arguments)


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm", "add_rms_norm", "add_layer_norm"])
def test_weights_may_be_left_out(name):
    case = CASES[name]
    matrices = case.arguments((3, 5))[: case.matrices]
    case.check(case.function(*matrices), *matrices)
    given = torch.randn(5)
    case.check(case.function(*matrices, weight=given), *matrices, given)


def test_a_bias_needs_no_weight():
    x, bias = torch.randn(3, 5), torch.randn(5)
    case = CASES["layer_norm"]
    case.check(ops.layer_norm(x, bias=bias), x, None, bias)


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm", "add_rms_norm", "add_layer_norm"])
def test_eps_is_used(name):
    case = CASES[name]
    arguments = case.arguments((3, 5))
    case.check(case.function(*arguments, eps=0.5), *arguments, 0.5)


def test_softmax_of_a_tensor_without_dimensions_is_one():
    assert ops.softmax(torch.tensor(3.0)) == torch.tensor(1.0)


def outputs(case, make, shape=(4, 6)):
    made = tuple(make(case.shape(shape)) for _ in range(case.results))
    return made if case.results > 1 else made[0]


@every
@pytest.mark.parametrize(
    "make",
    [
        torch.empty,
        lambda shape: torch.empty(shape[::-1]).mT if len(shape) > 1 else torch.empty(shape),
        lambda shape: torch.empty(*shape[:-1], 2 * shape[-1])[..., ::2],
        lambda shape: torch.empty(*shape[:-1], 3 + shape[-1])[..., 3:],
    ],
    ids=["contiguous", "transposed", "strided", "cut"],
)
def test_out_is_filled_and_returned(case, make):
    arguments, out = case.arguments((4, 6)), outputs(case, make)
    for tensor in as_tuple(out):
        tensor.fill_(torch.nan)
    strides = [tensor.stride() for tensor in as_tuple(out)]
    assert case.function(*arguments, out=out) is out
    case.check(out, *arguments)
    assert strides == [tensor.stride() for tensor in as_tuple(out)]


@pytest.mark.parametrize("name", ["vector_add", "softmax", "rms_norm", "layer_norm"])
def test_out_may_be_an_input(name):
    case = CASES[name]
    arguments = case.arguments((4, 6))
    kept = [a.clone() for a in arguments]
    case.function(*arguments, out=arguments[0])
    case.check(arguments[0], *kept)


@pytest.mark.parametrize("name", ["add_rms_norm", "add_layer_norm"])
def test_the_residual_may_be_updated_in_place(name):
    case = CASES[name]
    x, residual, *vectors = case.arguments((4, 6))
    kept = (x.clone(), residual.clone())
    case.function(x, residual, *vectors, out=(x, residual))
    case.check((x, residual), *kept, *vectors)


@pytest.mark.parametrize("name", ["vector_add", "softmax", "rms_norm", "layer_norm"])
def test_out_may_overlap_an_input_in_part(name):
    case = CASES[name]
    buffer = torch.randn(5, 6)
    x, *others = case.arguments((4, 6))
    x = buffer[1:]
    kept = x.clone()
    case.function(x, *others, out=buffer[:-1])
    case.check(buffer[:-1], kept, *others)
