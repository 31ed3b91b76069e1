"""gemv: y = A x, for a matrix and a vector in any strides."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem
from warpbook.kernels.values import draw, named

# Huge times tiny is about 1. A sorted matrix times a constant is a sum of sorted terms.
OF_VECTOR = {
    "huge": "tiny",
    "tiny": "huge",
    "ascending": "constant",
    "descending": "constant",
    "nonfinite": "normal",
}
SORTED = ("ascending", "descending")


def inputs(workload: Workload, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """In the layout `mixed` only the vector has elements that are apart."""
    mixed = workload.layout == "mixed"
    matrix = draw(workload, generator, "contiguous" if mixed else None)
    values = OF_VECTOR.get(workload.values, workload.values)
    of_vector = replace(workload, shape=workload.shape[1:], values=values)
    return matrix, draw(of_vector, generator, "strided" if mixed else None)


def reference(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Not torch.mv, which adds in an order of its own on every device; torch.sum adds in pairs."""
    return (matrix * vector).sum(-1)


def cost(workload: Workload) -> Cost:
    rows, columns = workload.shape
    itemsize = getattr(torch, workload.dtype).itemsize
    return Cost(
        (rows * columns + columns) * itemsize, rows * itemsize, {"fp32": 2 * rows * columns}
    )


def scale(arguments: Sequence[Argument], answer: torch.Tensor) -> torch.Tensor:
    """Of each row by itself: |y|, or the root of the sum of the squares of its terms if larger.

    The rounding of y is up to half an ulp of |y|. But terms of both signs may cancel to next to
    nothing, and the errors they bring do not: n terms, each off by its own rounding, are off
    together by as much as the root of the sum of squares says. It is also what a sum of terms with
    random signs comes to. The sum of the terms' magnitudes, the usual bound, is sqrt(n) times
    that: half an ulp of it in bfloat16 is all of y at 131072 columns, and 0 would pass for y.
    """
    matrix, vector = arguments
    assert isinstance(matrix, torch.Tensor)
    assert isinstance(vector, torch.Tensor)
    return torch.maximum(answer.abs(), (matrix * vector).square_().sum(-1).sqrt_())


def growth(workload: Workload) -> float:
    """How an honest order of summation may add to the error.

    The reference adds in pairs. Adding n terms one by one is honest too. With random signs the sum
    so far is smaller than the scale, in the mean by a factor of sqrt(2), each step rounds by up to
    half an ulp of it, now up, now down, and the sum ends off by 0.3 sqrt(n) half ulps of the scale.
    Growing as sqrt(n) / 4, the budget of 4 is at least sqrt(n) half ulps: more than three standard
    deviations, and several times that where there are many rows, since the products' own
    roundings, which the reference makes too, then lift the yardstick. With sorted signs the sum
    climbs to sqrt(n) / 2 times the scale before it falls, for every step of a sum one by one and
    for the last steps alone of a sum in pairs: four times as much again. An output in 16 bits
    hides all of this. (Of equal terms each addition rounds the same way for a long while; those
    are drawn in 16 bits only.)
    """
    if workload.dtype != "float32":
        return 1.0
    steps = sqrt(workload.shape[-1])
    return max(1.0, steps if workload.values in SORTED else steps / 4)


WORKLOADS = (
    named((4096, 4096), "float32", timed_on=("cuda",)),
    named((4096, 4096), "bfloat16", timed_on=("cuda",)),
    named((16384, 4096), "float32", timed_on=("cuda",)),
    named((16384, 4096), "bfloat16", timed_on=("cuda",)),
    named((151936, 2560), "float32", timed_on=("cuda",)),
    named((151936, 2560), "bfloat16", timed_on=("cuda",)),
    named((8, 131072), "float32", timed_on=("cuda", "cpu")),
    named((8, 131072), "bfloat16", timed_on=("cuda",)),
    named((1024, 1024), "float32", timed_on=("cpu",)),
    named((4096, 1024), "float32", timed_on=("cpu",)),
    named((1024, 1024), "bfloat16", timed_on=("cpu",)),
    named((1, 1), "float32"),
    named((4097, 1), "bfloat16"),
    named((1000, 3), "float32"),
    named((3, 63), "float16"),
    named((63, 4097), "float32"),
    named((63, 4097), "float32", "ascending"),
    named((63, 4097), "float32", "descending"),
    named((63, 4097), "float16", "ascending"),
    named((63, 4097), "bfloat16", "ascending"),
    named((63, 1000), "bfloat16", "constant"),
    named((63, 1000), "float32", "huge"),
    named((63, 1000), "float16", "huge"),
    named((63, 1000), "bfloat16", "huge"),
    named((63, 1000), "float32", "tiny"),
    named((63, 63), "float32", "nonfinite"),
    named((63, 63), "float16", "nonfinite"),
    named((63, 63), "bfloat16", "nonfinite"),
    named((63, 1000), "float32", layout="transposed"),
    named((63, 63), "float32", layout="strided"),
    named((7, 63), "float16", layout="strided"),
    named((7, 63), "bfloat16", layout="strided"),
    named((63, 1000), "float32", layout="mixed"),
    named((63, 1000), "bfloat16", layout="padded"),
)


def plain(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return (matrix.float() * vector.float()).sum(-1).to(matrix.dtype)


def zeros(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(plain(matrix, vector))


def all_nan(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return torch.full_like(plain(matrix, vector), torch.nan)


def no_vector(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix, torch.ones_like(vector))


def float16_detour(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix.half(), vector.half()).to(matrix.dtype)


def bfloat16_detour(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix.bfloat16(), vector.bfloat16()).to(matrix.dtype)


def narrow_inputs(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """As a faster matrix unit takes them: TF32 in place of float32, 8 bits in place of 16."""
    dropped = 13 if matrix.dtype == torch.float32 else 20

    def cut(x: torch.Tensor) -> torch.Tensor:
        return (x.float().contiguous().view(torch.int32) >> dropped << dropped).view(torch.float32)

    return plain(cut(matrix), cut(vector)).to(matrix.dtype)


def running_sum(
    matrix: torch.Tensor, vector: torch.Tensor, accumulator: torch.dtype
) -> torch.Tensor:
    """Column by column, rounded to the accumulator's dtype after each."""
    terms = matrix.float() * vector.float()
    total = torch.zeros(len(matrix), dtype=accumulator, device=matrix.device)
    for column in terms.to(accumulator).unbind(-1):
        total += column
    return total.to(matrix.dtype)


def bfloat16_accumulator(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return running_sum(matrix, vector, torch.bfloat16)


def float16_accumulator(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return running_sum(matrix, vector, torch.float16)


def dropped_tail(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Whole blocks of 64 columns only, as long as there is one."""
    columns = matrix.shape[-1]
    kept = columns // 64 * 64 or columns - 1 or columns
    return plain(matrix[:, :kept], vector[:kept])


def dropped_rows(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Whole blocks of 8 rows only; the rest keeps what the buffer held."""
    answer = plain(matrix, vector)
    answer[len(answer) // 8 * 8 :] = 0
    return answer


def first_rows(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    answer = plain(matrix, vector)
    answer[(len(answer) + 1) // 2 :] = 0
    return answer


def one_row_for_all(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix[:1].expand_as(matrix), vector)


def reversed_vector(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix, vector.flip(0))


def off_by_one(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix, vector.roll(1))


def transposed(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Takes a matrix that is stored row by row for one that is stored column by column."""
    return plain(matrix.as_strided(matrix.shape, (1, len(matrix))), vector)


def absolute(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix.abs(), vector.abs())


def assumes_positive(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix, vector).clamp(min=0)


def assumes_finite(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return torch.nan_to_num(plain(matrix, vector))


def flushes_subnormals(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    def flush(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x.abs() < torch.finfo(x.dtype).tiny, 0, x)

    return plain(flush(matrix), flush(vector))


def ignores_strides(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix.as_strided(matrix.shape, (matrix.shape[1], 1)), vector)


def assumes_unit_stride(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Minds how far apart rows are, not columns."""
    return plain(matrix.as_strided(matrix.shape, (matrix.stride(0), 1)), vector)


def ignores_strides_of_vector(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    return plain(matrix, vector.as_strided(vector.shape, (1,)))


MUTANTS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    mutant.__name__: mutant
    for mutant in (
        zeros,
        all_nan,
        no_vector,
        float16_detour,
        bfloat16_detour,
        narrow_inputs,
        bfloat16_accumulator,
        float16_accumulator,
        dropped_tail,
        dropped_rows,
        first_rows,
        one_row_for_all,
        reversed_vector,
        off_by_one,
        transposed,
        absolute,
        assumes_positive,
        assumes_finite,
        flushes_subnormals,
        ignores_strides,
        assumes_unit_stride,
        ignores_strides_of_vector,
    )
}

problem = Problem(
    name="gemv",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=WORKLOADS,
    mutants=MUTANTS,
    ladder=("one_thread", "passes", "one_warp", "fused", "compiled", "vectors", "split"),
    peers=("fused", "compiled"),
    sizes=("rows", "columns"),
    moves="read",
    scale=scale,
    growth=growth,
)
