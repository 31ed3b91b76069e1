"""ops.explain says who would do the work. What a GPU decides is tested on one."""

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
