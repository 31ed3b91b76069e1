"""What is not supported is refused in a sentence that names what was given and what is taken."""

import pytest
import torch
from ops_cases import CASES

from warpbook import ops

every = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
several = pytest.mark.parametrize(
    "case", [c for c in CASES.values() if c.matrices + c.vectors > 1], ids=lambda case: case.name
)
weighted = pytest.mark.parametrize(
    "case", [c for c in CASES.values() if c.vectors], ids=lambda case: case.name
)


@every
@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.bool, torch.complex64])
def test_other_dtypes(case, dtype):
    arguments = [torch.ones_like(a).to(dtype) for a in case.arguments((2, 3))]
    word = str(dtype).removeprefix("torch.")
    said = rf"{case.name}: \w+ is {word}; float32, float16 and bfloat16 are supported"
    with pytest.raises(TypeError, match=said):
        case.function(*arguments)


@several
def test_mixed_dtypes(case):
    *arguments, last = case.arguments((2, 3))
    said = r"\w+ is float32 and \w+ is bfloat16; all tensors must have one dtype"
    with pytest.raises(TypeError, match=said):
        case.function(*arguments, last.bfloat16())


@several
def test_mixed_devices(case):
    *arguments, last = case.arguments((2, 3))
    said = r"\w+ is on cpu and \w+ is on meta; all tensors must be on one device"
    with pytest.raises(RuntimeError, match=said):
        case.function(*arguments, last.to("meta"))


@pytest.mark.gpu
@several
def test_a_gpu_and_the_cpu(case):
    *arguments, last = case.arguments((2, 3), device="cuda")
    said = r"\w+ is on cuda:0 and \w+ is on cpu; all tensors must be on one device"
    with pytest.raises(RuntimeError, match=said):
        case.function(*arguments, last.cpu())


@every
def test_sparse_tensors(case):
    first, *others = case.arguments((2, 3))
    said = r"is torch\.sparse_coo; only strided tensors are supported"
    with pytest.raises(TypeError, match=said):
        case.function(first.to_sparse(), *others)


@every
def test_what_is_no_tensor(case):
    first, *others = case.arguments((2, 3))
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor'"):
        case.function([1.0, 2.0], *others)
    said = "is of type NoneType; it must be a tensor"
    with pytest.raises(TypeError, match=said):
        case.function(None, *others)
    if case.matrices > 1 or case.shrinks:
        with pytest.raises(TypeError, match=said):
            case.function(first, None)


@weighted
@pytest.mark.parametrize("shape", [(4,), (1,), (3, 1), ()], ids=str)
def test_vectors_that_do_not_match_the_columns(case, shape):
    *arguments, _ = case.arguments((2, 3))
    said = r"has 3 columns and \w+ has shape \(.*\); it must be \(3,\)"
    with pytest.raises(ValueError, match=said):
        case.function(*arguments, torch.ones(shape))


@pytest.mark.parametrize("name", ["vector_add", "add_rms_norm", "add_layer_norm"])
@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 1), (2, 3, 1)], ids=str)
def test_shapes_that_torch_would_broadcast(name, shape):
    with pytest.raises(ValueError, match="must be the same, nothing is broadcast"):
        getattr(ops, name)(torch.ones(2, 3), torch.ones(shape))


@weighted
def test_no_dimensions(case):
    arguments = [torch.tensor(1.0)] * case.matrices
    with pytest.raises(ValueError, match="has no dimensions; it needs at least one"):
        case.function(*arguments, *[torch.ones(1)] * case.vectors)


def outputs(case, **kind):
    made = tuple(torch.empty(case.shape((2, 3)), **kind) for _ in range(case.results))
    return made if case.results > 1 else made[0]


@every
def test_out_of_another_dtype(case):
    with pytest.raises(
        TypeError, match=r"is float32 and (out|y) is float16; all tensors must have"
    ):
        case.function(*case.arguments((2, 3)), out=outputs(case, dtype=torch.float16))


@every
def test_out_on_another_device(case):
    with pytest.raises(
        RuntimeError, match=r"is on cpu and (out|y) is on meta; all tensors must be"
    ):
        case.function(*case.arguments((2, 3)), out=outputs(case, device="meta"))


@every
def test_out_is_not_resized(case):
    said = r"(out|y) has shape \(.*\); it must be \(5,.*, since outputs are not resized"
    with pytest.raises(ValueError, match=said):
        case.function(*case.arguments((5, 3)), out=outputs(case))


@every
@pytest.mark.parametrize("wrong", [None, "y"])
def test_out_that_is_no_tensor(case, wrong):
    out = (torch.empty(case.shape((2, 3))), wrong) if case.results > 1 else [wrong]
    with pytest.raises(TypeError, match=rf"{case.name}: out= takes (a tensor|y and h, a tensor)"):
        case.function(*case.arguments((2, 3)), out=out)


@every
def test_out_whose_elements_share_memory(case):
    shape = case.shape((2, 3))
    out = tuple(torch.empty(()).expand(shape) for _ in range(case.results))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        case.function(*case.arguments((2, 3)), out=out if case.results > 1 else out[0])


@every
def test_gradients_and_out(case):
    first, *others = case.arguments((2, 3))
    with pytest.raises(RuntimeError, match="out= takes no part in gradients"):
        case.function(first.requires_grad_(), *others, out=outputs(case))


@pytest.mark.parametrize("name", ["add_rms_norm", "add_layer_norm"])
def test_two_results_need_memory_of_their_own(name):
    function, x = getattr(ops, name), torch.ones(2, 3)
    one, both = torch.empty(2, 3), torch.empty(2, 2, 3)
    with pytest.raises(ValueError, match="y and h overlap in memory"):
        function(x, x, out=(one, one))
    with pytest.raises(TypeError, match="out= takes y and h, a tensor each"):
        function(x, x, out=one)
    function(x, x, out=both.unbind(1))  # rows in turns do not overlap
    assert torch.equal(both[:, 1], x + x)
