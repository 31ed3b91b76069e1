"""ops.explain says who would do the work. What a GPU decides is tested on one."""

import re
from importlib import import_module

import pytest
import torch
from ops_cases import CASES

from warpbook import ops
from warpbook.kernels.ops import explain, explanation

A, B, X = torch.randn(4, 5), torch.randn(5, 6), torch.randn(3, 7)


def test_it_is_read_as_a_sentence():
    found = explanation.Explanation("cuBLAS", "b is a batch of matrices, and the kernels take one")
    assert str(found) == "cuBLAS: b is a batch of matrices, and the kernels take one"


@pytest.mark.parametrize("name", explain.FUNCTIONS)
def test_every_function_can_be_explained(name):
    arguments = {"matmul": [A, B], "topk": [X, 2]}.get(name) or CASES[name].arguments((3, 5))
    found = ops.explain(name, *arguments)
    assert (found.by, found.why) == (
        "torch",
        "the tensors are on cpu, and the kernels are for a GPU",
    )


def test_all_functions_have_an_explanation():
    assert set(explain.FUNCTIONS) == set(ops.__all__) - {"explain", "warmup"}


def test_a_gradient_a_transform_and_no_data():
    wanting = X.clone().requires_grad_()
    assert ops.explain("topk", wanting, k=2).why.startswith("a gradient is wanted")
    with torch.no_grad():
        assert "on cpu" in ops.explain("topk", wanting, k=2).why
    assert ops.explain("softmax", X.to("meta")).why.startswith("the tensors have no data")
    seen = []
    torch.vmap(lambda row: (seen.append(ops.explain("softmax", row)), row)[1])(X)
    assert seen[0].why == "the call is under a torch.func transform"


def test_nothing_is_computed():
    out = torch.full((4, 6), torch.nan)
    ops.explain("matmul", A, B, out=out)
    assert out.isnan().all()


def test_what_a_call_would_refuse_is_refused():
    with pytest.raises(ValueError, match="no operation 'mm'; there are add_layer_norm, add_rms"):
        ops.explain("mm", A, B)
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        ops.explain("matmul", A)
    with pytest.raises(ValueError, match="a's last dimension must be b's last but one"):
        ops.explain("matmul", A, A)
    with pytest.raises(ValueError, match=r"out has shape \(4, 5\); it must be \(4, 6\)"):
        ops.explain("matmul", A, B, out=torch.empty(4, 5))
    with pytest.raises(RuntimeError, match="k is 8 and a row has 7 columns"):
        ops.explain("topk", X, 8)


@pytest.fixture
def _as_on_a_gpu(monkeypatch):
    """Past what torch does, with as many multiprocessors as an H200 has, and nothing measured."""
    monkeypatch.setattr(explain, "by_torch", lambda arguments: None)
    for name in ("rows", "gemv", "topk", "matmul"):
        module = import_module(f"warpbook.kernels.ops.{name}")
        monkeypatch.setattr(module, "processors", lambda device: 132)
        monkeypatch.setattr(module, "slug", lambda device: "none", raising=False)
        monkeypatch.setattr(module, "has_wgmma", lambda device: True, raising=False)


@pytest.mark.usefixtures("_as_on_a_gpu")
def test_what_the_kernels_would_do():
    wide, long = torch.empty(3, 8192), torch.empty(3, 2**21)
    weight = torch.empty(8192)
    said = {
        str(ops.explain("softmax", wide)): r"cluster: 3 rows of 8,192: a cluster of \d blocks of",
        str(ops.explain("rms_norm", wide, weight)): r"cluster: 3 rows of 8,192: ",
        str(
            ops.explain("softmax", torch.empty(900, 16))
        ): r"cluster: 900 rows of 16: \d+ threads? ",
        str(ops.explain("softmax", long)): r"torch: no kernel holds a row of 2,097,152 columns",
        str(ops.explain("softmax", wide[:0])): r"torch: there is nothing to compute",
        str(ops.explain("vector_add", wide, wide)): r"sixteen_bytes: 24,576 elements, 16 bytes at",
        str(ops.explain("vector_add", wide.T, wide.T)): r"sixteen_bytes: .*, 16 bytes at a time",
        str(ops.explain("gemv", wide, weight)): r"split: 3 rows of 8,192: [\d,]+ threads for each",
        str(ops.explain("gemv", wide[:, :7], weight[:7])): r"split: 3 rows of 7: ",
        str(ops.explain("topk", long, 64)): r"split: 3 rows of 2,097,152: a cluster of \d+ blocks",
        str(ops.explain("topk", wide.T, 2)): r"split: 8,192 rows of 3, copied first: ",
        str(ops.explain("topk", wide, 1000)): r"radix: 3 rows of 8,192: a block of \d+ threads has",
        str(ops.explain("topk", wide, 1025)): r"torch: k is 1,025, and the kernels keep at most",
        str(ops.explain("topk", wide, 0)): r"torch: there is nothing to compute",
        str(ops.explain("matmul", wide[:1], wide.T)): r"gemv: a is a vector",
        str(ops.explain("matmul", wide, wide.T)): r"\w+: .* us expected, .* by \w+",
        str(ops.explain("matmul", wide, torch.empty(2, 8192, 3))): r"cuBLAS: b is a batch of",
        str(ops.explain("matmul", wide[:, :0], wide[:0])): r"torch: there is nothing to compute",
    }
    for sentence, expected in said.items():
        assert re.match(expected, sentence), sentence
