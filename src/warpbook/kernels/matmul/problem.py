"""matmul: C = A B in float32, for two matrices in any strides."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem
from warpbook.kernels.values import draw, named

# Huge times tiny is about 1. Sorted rows times a constant are sums of sorted terms.
OF_SECOND = {
    "huge": "tiny",
    "tiny": "huge",
    "ascending": "constant",
    "descending": "constant",
    "constant": "normal",
    "nonfinite": "normal",
}
SORTED = ("ascending", "descending")
# Layouts of both by those of each; `t` is one that is stored column by column.
LAYOUTS = {
    "nt": ("contiguous", "transposed"),
    "tn": ("transposed", "contiguous"),
    "tt": ("transposed", "transposed"),
}
# A library has a tile of this many results for every multiprocessor, and no reason to cut up k.
MANY_RESULTS = 2**20


def inputs(workload: Workload, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """A of [m, k] and B of [k, n]."""
    m, n, k = workload.shape
    first, second = LAYOUTS.get(workload.layout, (workload.layout, workload.layout))
    of_second = OF_SECOND.get(workload.values, workload.values)
    return (
        draw(replace(workload, shape=(m, k)), generator, first),
        draw(replace(workload, shape=(k, n), values=of_second), generator, second),
    )


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Never TF32, which is off unless a process asks for it."""
    return a @ b


def cost(workload: Workload) -> Cost:
    m, n, k = workload.shape
    return Cost(4 * (m * k + k * n), 4 * m * n, {"fp32": 2 * m * n * k})


def scale(arguments: Sequence[Argument], answer: torch.Tensor) -> torch.Tensor:
    """Of each result by itself: its magnitude, or the root of the sum of the squares of its terms
    if larger. gemv's `scale` says why."""
    a, b = arguments
    assert isinstance(a, torch.Tensor)
    assert isinstance(b, torch.Tensor)
    return torch.maximum(answer.abs(), (a.square() @ b.square()).sqrt_())


def growth(workload: Workload) -> float:
    """How an honest order of summation may add to the error.

    Adding k terms one by one, as a tiled kernel does, is honest. So does a library where results
    are many: it gives each to a thread that walks along k, or cuts k into a few parts, which takes
    its error down by the root of how many: twice for four. The allowance of 4 covers that. Where
    results are few it cuts k into as many parts as it likes, down to sums in pairs, and the sum
    one by one is off by 0.3 sqrt(k) half ulps of the scale where the library may be off by one:
    there the budget grows as it does for gemv, and four times as much for terms with sorted signs,
    whose sum climbs far before it falls.
    """
    m, n, k = workload.shape
    if m * n >= MANY_RESULTS:
        return 1.0
    return max(1.0, sqrt(k) if workload.values in SORTED else sqrt(k) / 4)


WORKLOADS = (
    named((4096, 4096, 4096), "float32", timed_on=("cuda",)),
    named((8192, 8192, 8192), "float32", timed_on=("cuda",)),
    named((2048, 2048, 2048), "float32", timed_on=("cuda",)),
    named((1000, 3000, 5000), "float32", timed_on=("cuda",)),
    named((128, 8192, 8192), "float32", timed_on=("cuda",)),
    named((4096, 4096, 4096), "float32", layout="nt", timed_on=("cuda",)),
    named((256, 256, 256), "float32", timed_on=("cpu",)),
    named((512, 64, 1024), "float32", layout="nt", timed_on=("cpu",)),
    named((1, 1, 1), "float32"),
    named((1, 63, 1000), "float32"),
    named((3, 1000, 63), "float32"),
    named((63, 1, 1000), "float32"),
    named((4097, 3, 63), "float32"),
    named((1000, 63, 3), "float32"),
    named((63, 4097, 1), "float32"),
    named((63, 65, 4097), "float32"),
    named((192, 320, 96), "float32"),
    named((17, 9, 1000), "float32", "ascending"),
    named((17, 9, 1000), "float32", "descending"),
    named((63, 65, 63), "float32", "constant"),
    named((63, 63, 1000), "float32", "huge"),
    named((63, 65, 100), "float32", "tiny"),
    named((65, 63, 63), "float32", "nonfinite"),
    named((130, 66, 1000), "float32", layout="nt"),
    named((130, 66, 1000), "float32", layout="tn"),
    named((132, 68, 100), "float32", layout="tt"),
    named((63, 65, 63), "float32", layout="tt"),
    named((65, 63, 130), "float32", layout="padded"),
    named((65, 63, 70), "float32", layout="strided"),
)


def zeros(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(a @ b)


def all_nan(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.full_like(a @ b, torch.nan)


def float16_detour(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.half().float() @ b.half().float()


def bfloat16_detour(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.bfloat16().float() @ b.bfloat16().float()


def narrow_inputs(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """TF32 in place of float32: 11 bits of each number, rounded to nearest."""

    def cut(x: torch.Tensor) -> torch.Tensor:
        return ((x.contiguous().view(torch.int32) + (1 << 12)) >> 13 << 13).view(torch.float32)

    return cut(a) @ cut(b)


def bfloat16_thrice(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Three products of two halves each: 16 bits of the 24."""
    high_a, high_b = a.bfloat16().float(), b.bfloat16().float()
    low_a, low_b = (a - high_a).bfloat16().float(), (b - high_b).bfloat16().float()
    return high_a @ high_b + (high_a @ low_b + low_a @ high_b)


def running_sum(a: torch.Tensor, b: torch.Tensor, accumulator: torch.dtype) -> torch.Tensor:
    """Term by term, rounded to the accumulator's dtype after each."""
    total = torch.zeros(len(a), b.shape[1], dtype=accumulator, device=a.device)
    for column, row in zip(a.unbind(1), b.unbind(0), strict=True):
        total += torch.outer(column, row).to(accumulator)
    return total.to(a.dtype)


def bfloat16_accumulator(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return running_sum(a, b, torch.bfloat16)


def float16_accumulator(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return running_sum(a, b, torch.float16)


def dropped_tail(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Whole blocks of 8 terms only."""
    kept = len(b) // 8 * 8
    return a[:, :kept] @ b[:kept]


def dropped_rows(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Whole blocks of 4 rows only; the rest keeps what the buffer held."""
    c = a @ b
    c[len(a) // 4 * 4 :] = 0
    return c


def dropped_columns(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = a @ b
    c[:, c.shape[1] // 4 * 4 :] = 0
    return c


def first_tile(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The results of one block."""
    c = a @ b
    c[128:] = 0
    c[:, 128:] = 0
    return c


def one_row_for_all(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a[:1].expand_as(a) @ b


def one_column_for_all(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b[:, :1].expand_as(b)


def reversed_terms(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b.flip(0)


def off_by_one(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b.roll(1, 0)


def twice_the_last(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A last term that two blocks of k both take."""
    return a @ b + torch.outer(a[:, -1], b[-1])


def transposed_first(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Takes a matrix that is stored row by row for one that is stored column by column."""
    return a.as_strided(a.shape, (1, len(a))) @ b


def transposed_second(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b.as_strided(b.shape, (1, len(b)))


def transposed_answer(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Written column by column."""
    return (a @ b).t().reshape(len(a), b.shape[1])


def absolute(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.abs() @ b.abs()


def assumes_positive(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a @ b).clamp(min=0)


def assumes_finite(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.nan_to_num(a @ b)


def flushes_subnormals(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    def flush(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x.abs() < torch.finfo(x.dtype).tiny, 0, x)

    return flush(a) @ flush(b)


def ignores_strides(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.as_strided(a.shape, (a.shape[1], 1)) @ b


def ignores_strides_of_second(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b.as_strided(b.shape, (b.shape[1], 1))


def assumes_unit_stride(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Minds how far apart rows are, not columns."""
    return a.as_strided(a.shape, (a.stride(0), 1)) @ b


MUTANTS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    mutant.__name__: mutant
    for mutant in (
        zeros,
        all_nan,
        float16_detour,
        bfloat16_detour,
        narrow_inputs,
        bfloat16_thrice,
        bfloat16_accumulator,
        float16_accumulator,
        dropped_tail,
        dropped_rows,
        dropped_columns,
        first_tile,
        one_row_for_all,
        one_column_for_all,
        reversed_terms,
        off_by_one,
        twice_the_last,
        transposed_first,
        transposed_second,
        transposed_answer,
        absolute,
        assumes_positive,
        assumes_finite,
        flushes_subnormals,
        ignores_strides,
        ignores_strides_of_second,
        assumes_unit_stride,
    )
}

problem = Problem(
    name="matmul",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=WORKLOADS,
    mutants=MUTANTS,
    ladder=(
        "naive",
        "coalesced",
        "tiled",
        "column_tile",
        "square_tile",
        "vectors",
        "conflict_free",
        "warp_tile",
        "triton_tiles",
        "async_copies",
        "tf32_triple",
    ),
    peers=("cublas",),
    sizes=("m", "n", "k"),
    moves="stream",
    scale=scale,
    growth=growth,
)
