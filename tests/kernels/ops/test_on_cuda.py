"""The functions on a GPU, by the kernels, beside torch's own answer in float64."""

import threading
import warnings

import pytest
import torch
from ops_cases import CASES, as_tuple
from torch.profiler import ProfilerActivity, profile

from warpbook import ops
from warpbook.kernels.ops import plans, tuning
from warpbook.kernels.ops.devices import slug

pytestmark = pytest.mark.gpu

every_near = tuning.near
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
COLUMNS = (1, 2, 3, 7, 8, 31, 64, 127, 1000, 1024, 4097, 8192, 8209, 32768, 50257, 65537, 131072)
SHAPES = [
    *((3, columns) for columns in COLUMNS),
    *((300, columns) for columns in COLUMNS if columns < 40_000),
    (262_144,),
    (2, 262_144),
    (200, 262_143),
    (1_000_003, 1),
    (100_003, 5),
    (5, 7, 11, 13),
    (133, 1, 4, 96),
]
every = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def _own_plans(tmp_path, monkeypatch):
    """What someone tuned on this machine is not what is tested."""
    monkeypatch.setattr(plans, "tuned_file", lambda device: tmp_path / f"{device}.json")
    plans.tuned.cache_clear()
    yield
    plans.tuned.cache_clear()


def kernels_of(call):
    call()
    torch.cuda.synchronize()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Profiler clears events")
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            call()
            torch.cuda.synchronize()
    return [event.name for event in seen.events() if event.device_type.name == "CUDA"]


@every
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_shape_twice(case, dtype):
    """The second call finds what the first has left."""
    for shape in SHAPES:
        for _ in range(2):
            arguments = case.arguments(shape, dtype, "cuda")
            results = as_tuple(case.function(*arguments))
            case.check(results, *arguments, message=lambda text, shape=shape: f"{shape}: {text}")
            assert all(r.dtype == dtype and r.shape == case.shape(shape) for r in results)


@every
@pytest.mark.parametrize("columns", [16, 1000, 8192, 100_000])
def test_one_kernel_does_it(case, columns):
    arguments = case.arguments((200, columns), torch.bfloat16, "cuda")
    names = kernels_of(lambda: case.function(*arguments))
    assert len(names) == 1
    assert "at::native" not in names[0]


VIEWS = {
    "shifted": lambda x: x[..., 1:],
    "cut": lambda x: x[..., :-3],
    "every other row": lambda x: x[::2],
    "every other column": lambda x: x[..., ::2],
    "transposed": lambda x: x.mT,
    "rows repeated": lambda x: x[:1].expand_as(x),
    "columns repeated": lambda x: x[:, :1].expand_as(x),
    "misaligned": lambda x: x.flatten()[1 : 1 + 36 * 1024].view(36, 1024),
}


@every
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_any_strides(case, view, dtype):
    for shape in ((37, 1024), (200, 1027)):
        x, *others = (
            VIEWS[view](a) if a.dim() > 1 else a for a in case.arguments(shape, dtype, "cuda")
        )
        vectors = [
            torch.randn(x.shape[-1] + 1, device="cuda").to(dtype)[1:] for _ in range(case.vectors)
        ]
        arguments = [x, *others[: case.matrices - 1], *vectors]
        results = as_tuple(case.function(*arguments))
        # Of a constant row only the mean's rounding is left, divided by the root of eps: 316 ulps.
        constant = view == "columns repeated" and "layer_norm" in case.name
        case.check(results, *arguments, slack=8 if constant else 1)
        assert all(r.is_contiguous() for r in results)


def outputs(case, make, shape, dtype):
    made = tuple(make(case.shape(shape), dtype) for _ in range(case.results))
    return made if case.results > 1 else made[0]


def empty(shape, dtype):
    return torch.full(shape, torch.nan, dtype=dtype, device="cuda")


OUTPUTS = {
    "contiguous": empty,
    "padded": lambda shape, dtype: empty((*shape[:-1], shape[-1] + 8), dtype)[..., :-8],
    "shifted": lambda shape, dtype: empty((*shape[:-1], shape[-1] + 1), dtype)[..., 1:],
    "strided": lambda shape, dtype: empty((*shape[:-1], shape[-1] * 2), dtype)[..., ::2],
}


@every
@pytest.mark.parametrize("make", OUTPUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_out(case, make, dtype):
    for shape in ((37, 1024), (200, 1003), (1003,)):
        if case.shrinks and len(shape) == 1:
            continue
        arguments, out = (
            case.arguments(shape, dtype, "cuda"),
            outputs(case, OUTPUTS[make], shape, dtype),
        )
        assert case.function(*arguments, out=out) is out
        case.check(out, *arguments)


@pytest.mark.parametrize("name", ["vector_add", "softmax", "rms_norm", "layer_norm"])
@pytest.mark.parametrize("columns", [100, 8192, 65536])
def test_out_may_be_an_input_or_overlap_it(name, columns):
    case = CASES[name]
    x, *others = case.arguments((300, columns), device="cuda")
    kept = x.clone()
    case.function(x, *others, out=x)
    case.check(x, kept, *others)
    buffer = torch.randn(301, columns, device="cuda")
    kept = buffer[1:].clone()
    case.function(buffer[1:], *others, out=buffer[:-1])
    case.check(buffer[:-1], kept, *others)


@pytest.mark.parametrize("name", ["add_rms_norm", "add_layer_norm"])
@pytest.mark.parametrize("columns", [100, 8192, 65536])
def test_a_residual_may_be_updated_in_place(name, columns):
    case = CASES[name]
    x, residual, *vectors = case.arguments((300, columns), device="cuda")
    kept = x.clone(), residual.clone()
    case.function(x, residual, *vectors, out=(residual, x))
    case.check((residual, x), *kept, *vectors)


@every
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4), (0, 0)], ids=str)
def test_no_elements(case, shape):
    for result in as_tuple(case.function(*case.arguments(shape, device="cuda"))):
        assert result.shape == case.shape(shape)
        assert not result.any()


@every
@pytest.mark.parametrize("columns", [9, 1000, 70_001])
@pytest.mark.parametrize("special", [torch.nan, torch.inf, -torch.inf], ids=str)
def test_nan_and_infinities_come_out_as_in_torch(case, special, columns):
    arguments = case.arguments((6, columns), device="cuda")
    arguments[0][1, 2] = special
    arguments[0][2] = special
    arguments[0][3, : columns // 2] = special
    case.check(case.function(*arguments), *arguments)


@pytest.mark.parametrize("name", ["rms_norm", "layer_norm", "add_rms_norm", "add_layer_norm"])
def test_weights_may_be_left_out(name):
    case = CASES[name]
    for _ in range(2):
        matrices = case.arguments((200, 1000), torch.bfloat16, "cuda")[: case.matrices]
        case.check(case.function(*matrices), *matrices)


def test_a_negated_view_is_read_as_negated():
    x = torch.randn(3, 1, dtype=torch.complex64, device="cuda").conj().imag[:1]
    torch.testing.assert_close(ops.vector_add(x, x), 2 * x.resolve_neg())


def test_a_sparse_tensor_is_refused_in_words():
    x = torch.randn(3, 5, device="cuda")
    ops.softmax(x)
    with pytest.raises(TypeError, match="only strided tensors are supported"):
        ops.softmax(x.to_sparse())


@every
def test_calls_go_to_the_current_stream(case):
    """The input is written late on the same stream; anything on another would read it early."""
    arguments = case.arguments((64, 4096), device="cuda")
    case.function(*arguments)
    late = [a.clone() for a in arguments]
    for tensor in late:
        tensor.zero_()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(50_000_000)
        for tensor, value in zip(late, arguments, strict=True):
            tensor.copy_(value)
        results = case.function(*late)
    torch.cuda.synchronize()
    case.check(results, *arguments)


def test_threads_call_at_once():
    case, wrong = CASES["add_layer_norm"], []

    def work(columns):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(200):
                arguments = case.arguments((20, columns), device="cuda")
                try:
                    case.check(case.function(*arguments), *arguments)
                except Exception as error:
                    wrong.append(error)

    threads = [threading.Thread(target=work, args=(columns,)) for columns in (64, 1000, 2048, 9000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@every
def test_a_cuda_graph_replays_it(case):
    arguments = case.arguments((64, 4096), device="cuda")
    case.function(*arguments)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = case.function(*arguments)
    for tensor in arguments:
        tensor.normal_()
    graph.replay()
    torch.cuda.synchronize()
    case.check(results, *arguments)


@every
def test_a_compiled_graph_is_whole_and_calls_the_kernel(case):
    torch._dynamo.reset()
    function = torch.compile(case.function, fullgraph=True)
    arguments = case.arguments((200, 1000), device="cuda")
    case.check(function(*arguments), *arguments)
    assert len(kernels_of(lambda: function(*arguments))) == 1


@every
def test_torch_finds_nothing_wrong_with_the_registration(case):
    eps = (1e-6,) if "norm" in case.name else ()
    arguments = (*case.arguments((37, 1000), device="cuda"), *eps)
    overload = getattr(torch.ops.warpbook, case.name).default
    assert set(torch.library.opcheck(overload, arguments).values()) == {"SUCCESS"}


@every
def test_gradients_are_those_of_torch(case):
    arguments = case.arguments((37, 100), device="cuda")
    found, truth = (
        torch.autograd.grad(
            sum(r.square().sum() for r in as_tuple(f(*wanting))), wanting, allow_unused=True
        )
        for f in (case.function, case.truth)
        for wanting in [[a.clone().requires_grad_() for a in arguments]]
    )
    torch.testing.assert_close(found, truth)


@every
def test_no_gradient_no_detour(case):
    arguments = [a.requires_grad_() for a in case.arguments((37, 1000), device="cuda")]
    with torch.no_grad():
        names = kernels_of(lambda: case.function(*arguments))
    assert len(names) == 1
    assert "at::native" not in names[0]


@pytest.mark.parametrize("name", ["vector_add", "softmax", "rms_norm", "layer_norm"])
@pytest.mark.parametrize("columns", [8192, 3, 262_144])
def test_more_than_2_to_the_31_elements(name, columns):
    case, dtype = CASES[name], torch.bfloat16
    rows = 2**31 // columns + 2
    x = torch.zeros(rows, columns, dtype=dtype, device="cuda")
    ends = torch.tensor([0, rows // 2, rows - 1], device="cuda")
    x[ends] = torch.randn(3, columns, device="cuda").to(dtype)
    others = case.arguments((1, columns), dtype, "cuda")[case.matrices :]
    both = [x] * case.matrices
    result = case.function(*both, *others)
    case.check(result[ends], *([x[ends]] * case.matrices), *others)


def test_a_product_with_more_than_2_to_the_31_elements():
    matrix = torch.zeros(2**31 // 4096 + 2, 4096, dtype=torch.bfloat16, device="cuda")
    ends = torch.tensor([0, len(matrix) // 2, len(matrix) - 1], device="cuda")
    matrix[ends] = torch.randn(3, 4096, device="cuda").bfloat16()
    vector = torch.randn(4096, device="cuda").bfloat16()
    CASES["gemv"].check(ops.gemv(matrix, vector)[ends], matrix[ends], vector)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")
def test_tensors_on_a_gpu_that_is_not_the_current_one():
    for case in CASES.values():
        arguments = case.arguments((20, 1000), device="cuda:1")
        for _ in range(2):
            case.check(case.function(*arguments), *arguments)


@pytest.mark.parametrize("op", ["softmax", "add_layer_norm", "gemv"])
def test_tuning_keeps_what_it_finds_and_calls_use_it(op, monkeypatch):
    """Among few plans, since each has to be compiled."""
    monkeypatch.setattr(tuning, "near", lambda fields: list(every_near(fields))[:12])
    case, columns, dtype = CASES[op], 1536, torch.bfloat16
    tuned = ops.warmup(op, columns=columns, dtype=dtype, tune=True)
    device = slug(torch.cuda.current_device())
    for few in (True, False):
        found = plans.measured(device, plans.key(op, dtype, columns), few)
        assert found == tuned["few" if few else "many"]
    assert ops.warmup(op, columns=columns, dtype=dtype) == tuned
    for rows in (3, 3000):
        arguments = case.arguments((rows, columns), dtype, "cuda")
        case.check(case.function(*arguments), *arguments)


@pytest.mark.parametrize("op", ["softmax", "rms_norm", "gemv", "vector_add"])
def test_after_a_warm_up_a_graph_can_be_captured_at_once(op):
    case = CASES[op]
    ops.warmup(op, columns=1344, dtype=torch.float16)
    arguments = case.arguments((40, 1344), torch.float16, "cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = case.function(*arguments)
    graph.replay()
    case.check(results, *arguments)
