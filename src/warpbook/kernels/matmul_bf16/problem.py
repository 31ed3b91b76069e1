"""matmul_bf16: activation(A B + bias) in 16 bits with sums in float32, in any strides."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.matmul_bf16.mutants import MUTANTS, activated
from warpbook.kernels.problem import Argument, Problem
from warpbook.kernels.values import LAYOUTS, SHORT_NAMES, VALUES, named

ACTIVATIONS = ("none", "relu", "gelu", "silu")
# The largest slope of any of them, gelu's at the root of 2.
STEEPEST = 1.13
# Huge times tiny is about 1. A sorted row times a constant is a sum of sorted terms.
OF_B = {"huge": "tiny", "tiny": "huge", "ascending": "constant", "descending": "constant"}
# How A, B and the bias lie in each layout of a workload. B in `nt` is a view of [n, k].
LAYOUTS_OF = {
    "contiguous": ("contiguous", "contiguous", "contiguous"),
    "nt": ("contiguous", "transposed", "contiguous"),
    "tn": ("transposed", "contiguous", "contiguous"),
    "tt": ("transposed", "transposed", "contiguous"),
    "padded": ("padded", "padded", "contiguous"),
    "strided": ("strided", "strided", "strided"),
}


def inputs(
    workload: Workload, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, int]:
    """A [m, k], B [k, n], a bias [n] or None, and which activation follows. A transposed B is
    drawn as it lies, so that no second copy of a large one is made."""
    m, n, k = workload.shape
    of_a, of_b, of_bias = LAYOUTS_OF[workload.layout]
    dtype = getattr(torch, workload.dtype)
    fill_a, fill_b = VALUES[workload.values], VALUES[OF_B.get(workload.values, workload.values)]
    a = LAYOUTS[of_a](fill_a((m, k), dtype, generator))
    b = (
        fill_b((n, k), dtype, generator).t()
        if of_b == "transposed"
        else LAYOUTS[of_b](fill_b((k, n), dtype, generator))
    )
    bias = None
    if workload.extra.get("bias"):
        bias = LAYOUTS[of_bias](VALUES["normal"]((n,), dtype, generator))
    return a, b, bias, int(workload.extra.get("activation", 0))


def reference(
    a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None, activation: int
) -> torch.Tensor:
    """TF32 would be no other answer: it holds every float16 and bfloat16 exactly, and sums in
    float32."""
    y = a @ b
    if bias is not None:
        y = y + bias
    return activated(y, activation)


def cost(workload: Workload) -> Cost:
    m, n, k = workload.shape
    itemsize = getattr(torch, workload.dtype).itemsize
    biases = n if workload.extra.get("bias") else 0
    return Cost(
        (m * k + k * n + biases) * itemsize,
        m * n * itemsize,
        {f"{SHORT_NAMES[workload.dtype]} matrix": 2 * m * n * k},
    )


def scale(arguments: Sequence[Argument], answer: torch.Tensor) -> torch.Tensor:
    """Of each number by itself: |y|, or the root of the sum of the squares of its terms if larger,
    the bias among them.

    Rounding y costs up to half an ulp of |y|. Where terms cancel, what they bring of their own
    errors does not: off by a rounding each, they are off together by as much as the root of the
    sum of squares says. An activation makes an error larger by its slope at most. In what order
    float32 sums are made does not show in 16 bits.
    """
    a, b, bias, activation = arguments
    assert isinstance(a, torch.Tensor)
    assert isinstance(b, torch.Tensor)
    squares = a.square() @ b.square()
    if isinstance(bias, torch.Tensor):
        squares += bias.square()
    slope = STEEPEST if activation in (2, 3) else 1.0
    return torch.maximum(answer.abs(), slope * squares.sqrt_())


def case(
    shape: tuple[int, int, int],
    dtype: str = "bfloat16",
    values: str = "normal",
    layout: str = "contiguous",
    timed_on: tuple[str, ...] = (),
    epilogue: str = "",
) -> Workload:
    """`epilogue` is `bias`, an activation, or both: `bias-gelu`. It ends the workload's name."""
    workload = named(shape, dtype, values, layout, timed_on)
    if not epilogue:
        return workload
    words = epilogue.split("-")
    extra = {"bias": int("bias" in words)}
    extra["activation"] = next((ACTIVATIONS.index(w) for w in words if w in ACTIVATIONS), 0)
    return replace(workload, name=f"{workload.name}-{epilogue}", extra=extra)


CUDA = ("cuda",)
# What a language model multiplies by: rows are tokens, weights lie as [n, k].
MODEL = tuple(
    case((m, n, k), layout="nt", timed_on=CUDA)
    for n, k in ((4096, 14336), (9216, 2560), (151936, 2560))
    for m in (1, 16, 64, 256, 1024, 8192)
    if m * n < 2**30
)
WORKLOADS = (
    case((8192, 8192, 8192), timed_on=CUDA),
    case((4096, 4096, 4096), timed_on=CUDA),
    case((4096, 4096, 4096), "float16", timed_on=CUDA),
    case((1024, 14336, 4096), layout="nt", timed_on=CUDA, epilogue="bias-gelu"),
    *MODEL,
    case((256, 256, 256), timed_on=("cpu",)),
    case((1, 1, 1), epilogue="bias"),
    case((63, 1000, 1)),
    case((4097, 3, 33), "float16"),
    case((63, 1, 1000), "float16", epilogue="bias-gelu"),
    case((1, 63, 4097), "float16"),
    case((3, 33, 4097), layout="nt"),
    case((3, 33, 4097), values="ascending"),
    case((3, 33, 4097), "float16", "ascending", epilogue="silu"),
    case((33, 3, 4097), values="descending", layout="tt"),
    case((129, 33, 65), values="constant", layout="tn"),
    case((63, 63, 63), values="huge", layout="nt"),
    case((63, 63, 63), "float16", "huge", epilogue="bias"),
    case((63, 63, 63), values="tiny", layout="tn"),
    case((63, 63, 19), values="nonfinite", epilogue="bias-relu"),
    case((63, 63, 19), "float16", "nonfinite", layout="nt", epilogue="bias-relu"),
    case((63, 63, 19), "float16", "nonfinite", epilogue="silu"),
    case((63, 63, 19), values="nonfinite", layout="tt", epilogue="gelu"),
    case((65, 129, 40), layout="tt", epilogue="bias-gelu"),
    case((65, 129, 40), "float16", layout="tn", epilogue="bias-gelu"),
    case((33, 63, 100), layout="padded", epilogue="bias-silu"),
    case((33, 63, 100), "float16", layout="padded"),
    case((33, 63, 100), layout="strided", epilogue="bias"),
    case((33, 63, 100), "float16", layout="strided", epilogue="bias-relu"),
)

problem = Problem(
    name="matmul_bf16",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=WORKLOADS,
    mutants=MUTANTS,
    ladder=("blocked", "grouped", "persistent", "specialised"),
    peers=("cublas",),
    sizes=("m", "n", "k"),
    moves="stream",
    scale=scale,
)
