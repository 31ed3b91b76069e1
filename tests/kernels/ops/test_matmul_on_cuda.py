"""ops.matmul on a GPU, whoever makes the product, beside torch's own answer in float64."""

import threading
from importlib import import_module

import pytest
import torch
from products import DTYPES, assert_near, truth

from warpbook import ops
from warpbook.kernels.ops.explanation import Explanation

pytestmark = pytest.mark.gpu
module = import_module("warpbook.kernels.ops.matmul")

SIZES = [
    (1, 1, 1),
    (1, 4096, 1024),
    (3, 63, 1000),
    (16, 1000, 72),
    (17, 9, 4097),
    (64, 2560, 2560),
    (100, 1, 333),
    (128, 256, 64),
    (300, 700, 500),
    (1000, 4097, 63),
    (1024, 1024, 1024),
    (2048, 1536, 512),
]
LAYOUTS = {
    "nn": lambda a, b: (a, b),
    "nt": lambda a, b: (a, b.T.contiguous().T),
    "tn": lambda a, b: (a.T.contiguous().T, b),
    "tt": lambda a, b: (a.T.contiguous().T, b.T.contiguous().T),
    "cut": lambda a, b: (torch.cat([a, a[:, :3]], 1)[:, : a.shape[1]], b),
    "strided": lambda a, b: (torch.stack([a, a], 2)[..., 1], torch.stack([b, b], 2)[..., 0]),
    "repeated": lambda a, b: (a[:1].expand_as(a), b[:, :1].expand_as(b)),
}
MAKERS = [
    (torch.float32, "async_copies"),
    (torch.float32, "tf32_triple"),
    (torch.float32, "cuBLAS"),
    (torch.float16, "specialised"),
    (torch.bfloat16, "specialised"),
    (torch.bfloat16, "cuBLAS"),
    *((dtype, None) for dtype in DTYPES),
]
makers = pytest.mark.parametrize(("dtype", "maker"), MAKERS, ids=str)
kinds = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def drawn(*shape, dtype=torch.float32):
    return torch.randn(shape, device="cuda").to(dtype)


def made_by(maker, monkeypatch):
    """All products by one of those who make them; None leaves the choice as it is."""
    if maker is not None:
        monkeypatch.setattr(module, "chosen", lambda *_: Explanation(maker, ""))
        monkeypatch.setattr(module, "LAUNCHES", {})


@makers
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_sizes_and_layouts_twice(layout, dtype, maker, monkeypatch):
    """The second call finds what the first has left."""
    made_by(maker, monkeypatch)
    for m, n, k in SIZES:
        for _ in range(2):
            a, b = LAYOUTS[layout](drawn(m, k, dtype=dtype), drawn(k, n, dtype=dtype))
            y = ops.matmul(a, b)
            assert y.shape == (m, n)
            assert y.is_contiguous()
            assert_near(y, truth(a, b), k, message=lambda text, s=(m, n, k): f"{s}: {text}")


@makers
@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
@pytest.mark.parametrize("biased", [True, False], ids=["bias", "no bias"])
def test_bias_and_activation(biased, activation, dtype, maker, monkeypatch):
    made_by(maker, monkeypatch)
    for m, n, k in ((1, 512, 256), (100, 333, 129), (256, 512, 1024), (7, 1, 64)):
        a, b = drawn(m, k, dtype=dtype), drawn(n, k, dtype=dtype).T
        bias = drawn(2 * n, dtype=dtype)[::2] if biased else None
        for _ in range(2):
            y = ops.matmul(a, b, bias, activation)
            assert_near(y, truth(a, b, bias, activation), k)


@kinds
def test_the_shapes_are_those_of_torch(dtype):
    for left, right in (
        ((2, 3, 40, 64), (64, 72)),
        ((64,), (64, 72)),
        ((40, 64), (64,)),
        ((2, 40, 64), (64,)),
        ((64,), (64,)),
        ((2, 40, 64), (2, 64, 72)),
        ((64,), (3, 64, 72)),
        ((2, 1, 40, 64), (3, 64, 72)),
    ):
        a, b = drawn(*left, dtype=dtype), drawn(*right, dtype=dtype)
        for _ in range(2):
            assert_near(ops.matmul(a, b), truth(a, b), 64)


@pytest.mark.parametrize(
    "shapes", [((0, 5), (5, 6)), ((4, 5), (5, 0)), ((4, 0), (0, 6)), ((0,), (0,))], ids=str
)
def test_no_rows_no_columns_no_terms(shapes):
    a, b = (torch.ones(shape, device="cuda") for shape in shapes)
    assert torch.equal(ops.matmul(a, b), torch.matmul(a, b))
    if b.dim() > 1:
        bias = drawn(b.shape[1])
        answer = torch.relu(torch.matmul(a, b) + bias)
        assert torch.equal(ops.matmul(a, b, bias, "relu"), answer)


@makers
def test_nan_and_infinities_come_out_as_in_torch(dtype, maker, monkeypatch):
    made_by(maker, monkeypatch)
    a, b = drawn(200, 100, dtype=dtype), drawn(100, 300, dtype=dtype)
    a[3, 4], a[50, 0], b[7, 8], b[9, 299] = torch.nan, torch.inf, -torch.inf, torch.nan
    y, answer = ops.matmul(a, b), truth(a, b)
    assert torch.equal(y.isnan(), answer.isnan())
    assert torch.equal(y.isinf(), answer.isinf())
    finite = answer.isfinite()
    assert_near(y[finite], answer[finite], 100)


def test_three_products_of_tf32_are_within_four_times_the_error_of_float32():
    a, b = drawn(1000, 3000), drawn(3000, 2000)
    answer = truth(a, b)
    three = (ops.matmul(a, b, precision="tf32x3") - answer).square().mean().sqrt()
    one = (ops.matmul(a, b) - answer).square().mean().sqrt()
    assert three <= 4 * one


def test_ieee_is_kept_where_torch_may_use_tf32():
    a, b = drawn(700, 3000), drawn(3000, 900)
    before = torch.backends.cuda.matmul.fp32_precision
    try:
        torch.backends.cuda.matmul.fp32_precision = "tf32"
        for _ in range(2):
            assert_near(ops.matmul(a, b), truth(a, b), 3000)
            assert_near(ops.matmul(a[:1], b), truth(a[:1], b), 3000)
    finally:
        torch.backends.cuda.matmul.fp32_precision = before


OUTPUTS = {
    "contiguous": lambda full, m, n: full(m, n),
    "turned": lambda full, m, n: full(n, m).T,
    "padded": lambda full, m, n: full(m, n + 8)[:, :-8],
    "shifted": lambda full, m, n: full(m * n + 1)[1:].view(m, n),
}


@makers
@pytest.mark.parametrize("make", OUTPUTS)
def test_out(make, dtype, maker, monkeypatch):
    made_by(maker, monkeypatch)

    def full(*shape):
        return torch.full(shape, torch.nan, dtype=dtype, device="cuda")

    for m, n, k in ((64, 128, 256), (100, 333, 129), (1, 512, 64)):
        a, b = drawn(m, k, dtype=dtype), drawn(n, k, dtype=dtype).T
        for _ in range(2):
            out = OUTPUTS[make](full, m, n)
            assert ops.matmul(a, b, out=out) is out
            assert_near(out, truth(a, b), k)


@makers
def test_out_may_be_an_operand_or_overlap_one(dtype, maker, monkeypatch):
    made_by(maker, monkeypatch)
    for _ in range(2):
        a, b = drawn(256, 256, dtype=dtype), drawn(256, 256, dtype=dtype)
        answer = truth(a, b)
        assert_near(ops.matmul(a, b, out=a), answer, 256)
        memory = drawn(300, 256, dtype=dtype)
        answer = truth(memory[:256], b)
        assert_near(ops.matmul(memory[:256], b, out=memory[44:]), answer, 256)


@makers
def test_calls_go_to_the_current_stream(dtype, maker, monkeypatch):
    """The operands are written late on the same stream; anything on another reads them early."""
    made_by(maker, monkeypatch)
    a, b = drawn(64, 4096, dtype=dtype), drawn(2000, 4096, dtype=dtype)
    ops.matmul(a, b.T)
    late_a, late_b = torch.zeros_like(a), torch.zeros_like(b)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(50_000_000)
        late_a.copy_(a)
        late_b.copy_(b)
        y = ops.matmul(late_a, late_b.T)
    torch.cuda.synchronize()
    assert_near(y, truth(a, b.T), 4096)


@makers
def test_streams_and_threads_do_not_get_in_each_other_s_way(dtype, maker, monkeypatch):
    made_by(maker, monkeypatch)
    wrong = []

    def work(m, n, k):
        with torch.cuda.stream(torch.cuda.Stream()):
            a, b = drawn(m, k, dtype=dtype), drawn(n, k, dtype=dtype).T
            answer = truth(a, b)
            for _ in range(50):
                try:
                    assert_near(ops.matmul(a, b), answer, k)
                except Exception as error:
                    wrong.append(error)

    sizes = ((8, 256, 8192), (64, 512, 4096), (300, 300, 3000), (16, 256, 8192))
    threads = [threading.Thread(target=work, args=size) for size in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@makers
def test_a_cuda_graph_replays_it(dtype, maker, monkeypatch):
    made_by(maker, monkeypatch)
    for m, n, k in ((16, 512, 4096), (300, 700, 500), (512, 512, 512)):
        a, b, bias = drawn(m, k, dtype=dtype), drawn(n, k, dtype=dtype), drawn(n, dtype=dtype)
        ops.matmul(a, b.T, bias, "silu")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = ops.matmul(a, b.T, bias, "silu")
        for _ in range(3):
            for tensor in (a, b, bias):
                tensor.normal_()
            graph.replay()
            torch.cuda.synchronize()
            assert_near(y, truth(a, b.T, bias, "silu"), k)


def test_after_a_warm_up_a_graph_can_be_captured_at_once(monkeypatch):
    made_by("specialised", monkeypatch)
    ops.warmup("matmul", dtype=torch.float16)
    a, b = drawn(48, 6080, dtype=torch.float16), drawn(1536, 6080, dtype=torch.float16).T
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = ops.matmul(a, b)
    graph.replay()
    assert_near(y, truth(a, b), 6080)


@kinds
def test_more_than_2_to_the_31_elements(dtype):
    ends = torch.tensor([0, 1, 2**25, 2**25 + 1], device="cuda")
    tall = torch.zeros(2**25 + 2, 64, dtype=dtype, device="cuda")
    tall[ends] = drawn(4, 64, dtype=dtype)
    b = drawn(64, 8, dtype=dtype)
    assert_near(ops.matmul(tall, b)[ends], truth(tall[ends], b), 64)
    del tall
    a, b = drawn(65_537, 16, dtype=dtype), drawn(16, 32_776, dtype=dtype)
    rows = torch.tensor([0, 1, 65_535, 65_536], device="cuda")
    assert_near(ops.matmul(a, b)[rows], truth(a[rows], b), 16)


def test_mixed_dtypes_and_devices():
    a, b = drawn(4, 5), drawn(5, 6)
    with pytest.raises(RuntimeError, match="a is on cuda:0 and b is on cpu; all tensors must be"):
        ops.matmul(a, b.cpu())
    with pytest.raises(TypeError, match="a is float32 and b is float16; all tensors must have"):
        ops.matmul(a, b.half())
    with pytest.raises(RuntimeError, match="a is on cuda:0 and bias is on cpu"):
        ops.matmul(a, b, torch.ones(6))
    with pytest.raises(ValueError, match="a's last dimension must be b's last but one"):
        ops.matmul(a, a)


@kinds
def test_gradients_are_those_of_torch(dtype):
    given = [drawn(2, 30, 50, dtype=dtype), drawn(50, 40, dtype=dtype), drawn(40, dtype=dtype)]
    found, wanted = (
        torch.autograd.grad(f(*wanting).square().sum(), wanting)
        for f in (
            lambda a, b, bias: ops.matmul(a, b, bias, "relu"),
            lambda a, b, bias: torch.nn.functional.linear(a, b.T, bias).relu(),
        )
        for wanting in [[t.clone().requires_grad_() for t in given]]
    )
    torch.testing.assert_close(found, wanted)


def test_autocast_changes_nothing():
    a, b = drawn(30, 50), drawn(50, 40)
    with torch.autocast("cuda"):
        for _ in range(2):
            assert ops.matmul(a, b).dtype == torch.float32


def test_a_compiled_graph_is_whole():
    torch._dynamo.reset()
    a, b, bias = (drawn(*s, dtype=torch.bfloat16) for s in ((100, 200), (200, 300), (300,)))
    function = torch.compile(lambda a, b, c: ops.matmul(a, b, c, "gelu"), fullgraph=True)
    assert_near(function(a, b, bias), truth(a, b, bias, "gelu"), 200)


def test_explained_are_those_who_do_it():
    a, b = drawn(4096, 4096, dtype=torch.bfloat16), drawn(4096, 4096, dtype=torch.bfloat16)
    found = ops.explain("matmul", a, b)
    assert found.by in module.MAKERS
    assert ops.explain("matmul", a, b.expand(2, -1, -1)).by == "cuBLAS"
    assert ops.explain("matmul", a[:1], b.T).by in module.MAKERS
    assert ops.explain("matmul", a[:0], b).why == "there is nothing to compute"
