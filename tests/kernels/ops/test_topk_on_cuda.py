"""ops.topk on a GPU, by the kernels, beside torch's own."""

import threading

import pytest
import torch
from selections import assert_topk

from warpbook import ops

pytestmark = pytest.mark.gpu

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
COLUMNS = (1, 2, 3, 31, 64, 127, 1000, 1024, 4097, 8192, 50_257, 131_072, 262_144)
kinds = pytest.mark.parametrize("dtype", DTYPES, ids=str)
both = pytest.mark.parametrize("largest", [True, False], ids=["largest", "smallest"])


def drawn(*shape, dtype=torch.float32):
    return torch.randn(shape, device="cuda").to(dtype)


@kinds
@both
def test_any_rows_columns_and_k_twice(dtype, largest):
    for rows in (1, 3, 200, 1500):
        for columns in COLUMNS:
            if rows * columns > 2**25:
                continue
            for k in {1, 2, 7, 64, 100, 1000, 1024, columns}:
                if k > min(columns, 1024):
                    continue
                x = drawn(rows, columns, dtype=dtype)
                assert_topk(ops.topk(x, k, largest), x, k, largest)
                loose = ops.topk(x, k, largest, sorted=False)
                assert_topk(loose, x, k, largest, in_order=False)


@kinds
@both
def test_nan_infinities_and_ties_are_ordered_as_in_torch(dtype, largest):
    for columns in (50, 5000, 140_000):
        x = drawn(6, columns, dtype=dtype)
        x[0, 3] = x[0, 40] = torch.nan
        x[1, 5], x[1, 6] = torch.inf, -torch.inf
        x[2] = 1.0
        x[3] = torch.nan
        x[4, : columns // 2] = torch.nan
        x[5] = (x[5] * 2).round() / 2
        for k in (1, 2, 10, 50):
            assert_topk(ops.topk(x, k, largest), x, k, largest)


VIEWS = {
    "shifted": lambda x: x[..., 1:],
    "cut": lambda x: x[..., :-3],
    "every other row": lambda x: x[::2],
    "every other column": lambda x: x[..., ::2],
    "transposed": lambda x: x.mT,
    "rows repeated": lambda x: x[:1].expand_as(x),
    "columns repeated": lambda x: x[:, :1].expand_as(x),
    "two leading dimensions": lambda x: x.view(2, -1, x.shape[1]),
    "one dimension": lambda x: x.flatten(),
}


@kinds
@pytest.mark.parametrize("view", VIEWS)
def test_any_strides(view, dtype):
    for shape in ((38, 1024), (200, 1027)):
        x = VIEWS[view](drawn(*shape, dtype=dtype))
        assert_topk(ops.topk(x, 30), x, 30)


def test_out_whatever_its_strides():
    x = drawn(40, 3000)
    for _ in range(2):
        out = torch.full((40, 9), torch.nan, device="cuda"), torch.full((40, 9), -1, device="cuda")
        assert ops.topk(x, 9, out=out) is out
        assert_topk(out, x, 9)
    out = torch.empty(40, 18, device="cuda")[:, ::2], torch.empty(9, 40, device="cuda").long().T
    ops.topk(x, 9, out=out)
    assert_topk([t.contiguous() for t in out], x, 9)


def test_out_may_overlap_the_row():
    x = drawn(40, 3000)
    kept, indices = x.clone(), torch.empty(40, 9, dtype=torch.int64, device="cuda")
    ops.topk(x, 9, out=(x[0, :360].view(40, 9), indices))
    assert_topk((x[0, :360].view(40, 9), indices), kept, 9)


def test_what_is_left_to_torch():
    x = drawn(3, 5000)
    assert_topk(ops.topk(x, 1025), x, 1025)
    assert ops.topk(x[0, 0], 1)[1] == 0
    assert ops.explain("topk", x, 1025).by == "torch"
    assert ops.explain("topk", x, 1024).by != "torch"


@pytest.mark.parametrize("shape", [(0, 7), (3, 0), (2, 0, 7)], ids=str)
def test_no_elements(shape):
    for found in ops.topk(torch.empty(shape, device="cuda"), 0):
        assert found.shape == (*shape[:-1], 0)
    if shape[-1]:
        assert ops.topk(torch.empty(shape, device="cuda"), 2)[0].shape == (*shape[:-1], 2)


def test_k_beyond_the_row_and_the_wrong_kind():
    x = drawn(3, 7)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="k is 8 and a row has 7 columns"):
            ops.topk(x, 8)
        with pytest.raises(RuntimeError, match="k is -1 and a row has 7 columns"):
            ops.topk(x, -1)
        with pytest.raises(TypeError, match="largest is -1; it must be True or False"):
            ops.topk(x, 2, -1)
        ops.topk(x, 2)
    with pytest.raises(TypeError, match="float32, float16 and bfloat16 are supported"):
        ops.topk(x.double(), 2)
    with pytest.raises(RuntimeError, match="is on cuda:0 and indices is on cpu"):
        ops.topk(x, 2, out=(drawn(3, 2), torch.empty(3, 2, dtype=torch.int64)))


def test_calls_go_to_the_current_stream():
    x = drawn(64, 9000)
    ops.topk(x, 20)
    late = torch.zeros_like(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(50_000_000)
        late.copy_(x)
        found = ops.topk(late, 20)
    torch.cuda.synchronize()
    assert_topk(found, x, 20)


def test_threads_call_at_once():
    wrong = []

    def work(rows, columns):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                x = drawn(rows, columns)
                try:
                    assert_topk(ops.topk(x, 20), x, 20)
                except Exception as error:
                    wrong.append(error)

    shapes = ((1, 200_000), (3, 100_000), (200, 1000), (2, 262_144))
    threads = [threading.Thread(target=work, args=shape) for shape in shapes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_cuda_graph_replays_it():
    for rows, columns in ((1, 200_000), (64, 9000), (500, 500)):
        x = drawn(rows, columns)
        ops.topk(x, 20)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = ops.topk(x, 20)
        for _ in range(2):
            x.normal_()
            graph.replay()
            torch.cuda.synchronize()
            assert_topk(found, x, 20)


def test_after_a_warm_up_a_graph_can_be_captured_at_once():
    ops.warmup("topk", columns=70_001, dtype=torch.float16)
    x = drawn(40, 70_001, dtype=torch.float16)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = ops.topk(x, 33)
    graph.replay()
    torch.cuda.synchronize()
    assert_topk(found, x, 33)


@pytest.mark.parametrize("shape", [(2**25 + 2, 64), (2**18 + 2, 8192), (2, 2**30 + 8)], ids=str)
def test_more_than_2_to_the_31_elements(shape):
    x = torch.zeros(shape, dtype=torch.bfloat16, device="cuda")
    ends = torch.tensor([0, shape[0] - 1], device="cuda")
    x[ends] = torch.randn(shape[1], device="cuda").bfloat16()
    values, indices = ops.topk(x, 5)
    assert_topk((values[ends], indices[ends]), x[ends], 5)


def test_gradients_and_a_compiled_graph():
    x = drawn(30, 700)
    found, wanted = (
        torch.autograd.grad(f(leaf, 20)[0].square().sum(), leaf)
        for f in (ops.topk, torch.topk)
        for leaf in [x.clone().requires_grad_()]
    )
    torch.testing.assert_close(found, wanted)
    torch._dynamo.reset()
    function = torch.compile(lambda x: ops.topk(x, 20), fullgraph=True)
    assert_topk(function(x), x, 20)
