"""vector_add: c = a + b, for two vectors of one length in any strides."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem
from warpbook.kernels.values import draw, named


def inputs(workload: Workload, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """In the layout `mixed` the two have strides of their own."""
    if workload.layout == "mixed":
        return draw(workload, generator, "strided"), draw(workload, generator, "contiguous")
    return draw(workload, generator), draw(workload, generator)


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def cost(workload: Workload) -> Cost:
    (length,) = workload.shape
    vector_bytes = length * getattr(torch, workload.dtype).itemsize
    return Cost(2 * vector_bytes, vector_bytes, {"fp32": length})


def scale(arguments: Sequence[Argument], answer: torch.Tensor) -> torch.Tensor:
    """Element by element, so that a small element beside a large one is checked as closely. Of
    the terms and not of their sum: one rounding is at most half an ulp of either, and rounding the
    terms first is then over budget for what it is, not for how much the terms cancel."""
    a, b = arguments
    assert isinstance(a, torch.Tensor)
    assert isinstance(b, torch.Tensor)
    return a.abs() + b.abs()


def timed(exponent: int, dtype: str, device: str) -> Workload:
    workload = named((2**exponent,), dtype, timed_on=(device,))
    return replace(workload, name=workload.name.replace(str(2**exponent), f"2^{exponent}"))


WORKLOADS = (
    timed(28, "float32", "cuda"),
    timed(24, "float32", "cuda"),
    timed(26, "bfloat16", "cuda"),
    timed(20, "float32", "cpu"),
    timed(22, "float32", "cpu"),
    timed(22, "bfloat16", "cpu"),
    named((1,), "float32"),
    named((3,), "bfloat16"),
    named((63,), "float16"),
    named((1000,), "float32"),
    named((4097,), "float32"),
    named((4097,), "float16"),
    named((4097,), "bfloat16"),
    named((1000,), "float32", "huge"),
    named((1000,), "float16", "huge"),
    named((1000,), "bfloat16", "huge"),
    named((1000,), "float32", "tiny"),
    named((1000,), "float16", "tiny"),
    named((1000,), "bfloat16", "tiny"),
    named((63,), "bfloat16", "constant"),
    named((4097,), "float32", "ascending"),
    named((4097,), "float16", "descending"),
    named((4097,), "float32", "nonfinite"),
    named((4097,), "float16", "nonfinite"),
    named((4097,), "bfloat16", "nonfinite"),
    named((4097,), "float32", layout="mixed"),
    named((4097,), "float16", layout="strided"),
    named((4097,), "bfloat16", layout="strided"),
    named((1000,), "bfloat16", layout="padded"),
)


def zeros(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(a + b)


def all_nan(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.full_like(a + b, torch.nan)


def one_term(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.clone()


def first_term_twice(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + a


def float16_detour(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.half() + b.half()).to(a.dtype)


def bfloat16_detour(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.bfloat16() + b.bfloat16()).to(a.dtype)


def dropped_tail(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Whole blocks of 64 only; the rest keeps what the buffer held."""
    answer = a + b
    answer[len(answer) // 64 * 64 :] = 0
    return answer


def first_half(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    answer = a + b
    answer[(len(answer) + 1) // 2 :] = 0
    return answer


def off_by_one(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b.roll(1)


def assumes_positive(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.abs() + b.abs()


def assumes_finite(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.nan_to_num(a + b)


def flushes_subnormals(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    answer = a + b
    return torch.where(answer.abs() < torch.finfo(a.dtype).tiny, 0, answer)


def ignores_strides(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.as_strided(a.shape, (1,)) + b.as_strided(b.shape, (1,))


MUTANTS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    mutant.__name__: mutant
    for mutant in (
        zeros,
        all_nan,
        one_term,
        first_term_twice,
        float16_detour,
        bfloat16_detour,
        dropped_tail,
        first_half,
        off_by_one,
        assumes_positive,
        assumes_finite,
        flushes_subnormals,
        ignores_strides,
    )
}

problem = Problem(
    name="vector_add",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=WORKLOADS,
    mutants=MUTANTS,
    ladder=("passes", "scalars", "blocks", "fused", "compiled", "vectors", "sixteen_bytes"),
    peers=("fused", "compiled"),
    sizes=("length",),
    moves="join",
    scale=scale,
)
