"""ops.explain: who would do the work of a call, and why, without doing it.

Goes the way that a call goes, in the same order. Knows nothing of any one operation.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

from torch import Tensor
from torch._C._functorch import peek_interpreter_stack as transformed

from warpbook.kernels.ops import gemv, matmul, norms, softmax, topk, vector_add
from warpbook.kernels.ops.devices import usable
from warpbook.kernels.ops.explanation import Explanation
from warpbook.kernels.ops.operation import Operation, wants_gradient

FUNCTIONS: dict[str, tuple[Callable[..., Any], Operation]] = {
    "vector_add": (vector_add.vector_add, vector_add.VECTOR_ADD),
    "softmax": (softmax.softmax, softmax.SOFTMAX),
    "rms_norm": (norms.rms_norm, norms.RMS_NORM),
    "layer_norm": (norms.layer_norm, norms.LAYER_NORM),
    "add_rms_norm": (norms.add_rms_norm, norms.ADD_RMS_NORM),
    "add_layer_norm": (norms.add_layer_norm, norms.ADD_LAYER_NORM),
    "gemv": (gemv.gemv, gemv.GEMV),
    "matmul": (matmul.matmul, matmul.MATMUL),
    "topk": (topk.topk, topk.TOPK),
}


def explain(op: str, *arguments: Any, **keywords: Any) -> Explanation:
    """Who would do the work of this very call, a rung, torch or cuBLAS, and why. Arguments that do
    not fit raise what the call would raise. Nothing is computed."""
    if op not in FUNCTIONS:
        raise ValueError(f"explain: no operation {op!r}; there are {', '.join(sorted(FUNCTIONS))}")
    function, operation = FUNCTIONS[op]
    bound = signature(function).bind(*arguments, **keywords)
    bound.apply_defaults()
    values = dict(bound.arguments)
    out = values.pop("out")
    given = tuple(values.values())
    targets = operation.demand(*given, out=out)
    return by_torch((*given, *targets)) or operation.described(*given, targets)


def by_torch(arguments: tuple[Any, ...]) -> Explanation | None:
    """Where torch does the work, whatever the operation."""
    if transformed() is not None:
        return Explanation("torch", "the call is under a torch.func transform")
    if wants_gradient(arguments):
        return Explanation("torch", "a gradient is wanted; torch.no_grad() would spare it")
    device = next(a for a in arguments if isinstance(a, Tensor)).device
    if device.type == "meta":
        return Explanation("torch", "the tensors have no data, and only shapes are worked out")
    if device.type != "cuda":
        return Explanation("torch", f"the tensors are on {device}, and the kernels are for a GPU")
    if not usable(device.index):
        return Explanation("torch", "the kernels need compute capability 9.x or 10.x")
    return None
