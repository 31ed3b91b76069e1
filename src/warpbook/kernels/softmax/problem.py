"""softmax over the last dimension of a matrix in any strides."""

from collections.abc import Callable
from math import sqrt

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.kernels.values import draw, named


def inputs(workload: Workload, generator: torch.Generator) -> tuple[torch.Tensor]:
    return (draw(workload, generator),)


def reference(x: torch.Tensor) -> torch.Tensor:
    """Step by step: torch.sum adds in pairs on every device, where torch.softmax on a CPU adds in
    sequence, and the yardstick would hang on the device."""
    weights = (x - x.amax(-1, keepdim=True)).exp_()
    return weights.div_(weights.sum(-1, keepdim=True))


def cost(workload: Workload) -> Cost:
    """An element is compared, shifted, put through exp, added up and divided."""
    rows, columns = workload.shape
    matrix_bytes = rows * columns * getattr(torch, workload.dtype).itemsize
    return Cost(matrix_bytes, matrix_bytes, {"fp32": 5 * rows * columns})


def growth(workload: Workload) -> float:
    """How a sum along the row may add to the error.

    The reference adds in pairs, and its sums lose next to nothing. Adding n positive terms one by
    one is honest too. Each step rounds by up to half an ulp of the sum so far, now up, now down,
    and the sum ends off by sqrt(n / 3) of the mean rounding: 0.24 sqrt(n) half ulps. Growing as
    sqrt(n) / 4, the budget of 4 is at least sqrt(n) half ulps, four standard deviations of that.
    (Rows long enough to matter are drawn in random or ascending order; from the largest down the
    walk is longer.) An output in 16 bits hides all of it: float32 sums over 131072 columns stay
    under a tenth of its ulp.
    """
    return max(1.0, sqrt(workload.shape[-1]) / 4) if workload.dtype == "float32" else 1.0


WORKLOADS = (
    named((8192, 8192), "float32", timed_on=("cuda",)),
    named((8192, 8192), "bfloat16", timed_on=("cuda",)),
    named((32768, 1024), "float32", timed_on=("cuda",)),
    named((32768, 1024), "bfloat16", timed_on=("cuda",)),
    named((1024, 131072), "float32", timed_on=("cuda",)),
    named((1024, 131072), "bfloat16", timed_on=("cuda",)),
    named((64, 8192), "float32", timed_on=("cuda",)),
    named((64, 8192), "bfloat16", timed_on=("cuda",)),
    named((1024, 1024), "float32", timed_on=("cpu",)),
    named((4096, 1024), "float32", timed_on=("cpu",)),
    named((64, 131072), "float32", timed_on=("cpu",)),
    named((1024, 1024), "bfloat16", timed_on=("cpu",)),
    named((1, 1), "float32"),
    named((4097, 1), "bfloat16"),
    named((1000, 3), "float32", "descending"),
    named((3, 63), "float16"),
    named((3, 4097), "float32"),
    named((3, 1000), "float32", "large"),
    named((3, 1000), "float16", "large"),
    named((3, 1000), "bfloat16", "large"),
    named((3, 1000), "bfloat16", "huge"),
    named((3, 1000), "float32", "tiny"),
    named((3, 4097), "float16", "constant"),
    named((3, 4097), "bfloat16", "constant"),
    named((3, 4097), "float32", "ascending"),
    named((2, 40001), "float16", "ascending"),
    named((3, 4097), "bfloat16", "ascending"),
    named((4, 40001), "float32", "masked"),
    named((8, 4097), "float16", "masked"),
    named((8, 4097), "bfloat16", "masked"),
    named((63, 63), "float32", "nonfinite"),
    named((7, 1000), "float32", layout="transposed"),
    named((7, 63), "float32", layout="strided"),
    named((7, 63), "float16", layout="strided"),
    named((7, 63), "bfloat16", layout="strided"),
    named((7, 1000), "bfloat16", layout="padded"),
)


def zeros(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(plain(x))


def all_nan(x: torch.Tensor) -> torch.Tensor:
    return torch.full_like(plain(x), torch.nan)


def unnormalised(x: torch.Tensor) -> torch.Tensor:
    return (x.float() - x.float().amax(-1, keepdim=True)).exp().to(x.dtype)


def float16_detour(x: torch.Tensor) -> torch.Tensor:
    return plain(x.half()).to(x.dtype)


def bfloat16_detour(x: torch.Tensor) -> torch.Tensor:
    return plain(x.bfloat16()).to(x.dtype)


def short_accumulator(x: torch.Tensor) -> torch.Tensor:
    """The sum is kept in bfloat16, column by column."""
    weights = (x.float() - x.float().amax(-1, keepdim=True)).exp()
    total = torch.zeros(len(x), dtype=torch.bfloat16, device=x.device)
    for column in weights.bfloat16().unbind(-1):
        total += column
    return (weights / total[:, None].float()).to(x.dtype)


def dropped_tail_in_sum(x: torch.Tensor) -> torch.Tensor:
    """Whole blocks of 64 columns only, as long as there is one."""
    weights = (x.float() - x.float().amax(-1, keepdim=True)).exp()
    columns = x.shape[-1]
    kept = columns // 64 * 64 or columns - 1 or columns
    return (weights / weights[:, :kept].sum(-1, keepdim=True)).to(x.dtype)


def dropped_tail_in_output(x: torch.Tensor) -> torch.Tensor:
    answer = plain(x)
    answer[:, x.shape[-1] // 64 * 64 :] = 0
    return answer


def no_max(x: torch.Tensor) -> torch.Tensor:
    weights = x.float().exp()
    return (weights / weights.sum(-1, keepdim=True)).to(x.dtype)


def assumes_sorted(x: torch.Tensor) -> torch.Tensor:
    """Takes the last column for the largest."""
    weights = (x.float() - x[:, -1:].float()).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(x.dtype)


def assumes_positive(x: torch.Tensor) -> torch.Tensor:
    """Starts its search for the largest at 0."""
    weights = (x.float() - x.float().amax(-1, keepdim=True).clamp(min=0)).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(x.dtype)


def assumes_finite(x: torch.Tensor) -> torch.Tensor:
    """Answers 0 where the answer is NaN."""
    return torch.nan_to_num(plain(x))


def first_rows(x: torch.Tensor) -> torch.Tensor:
    answer = plain(x)
    answer[(len(x) + 1) // 2 :] = 0
    return answer


def wrong_axis(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x.float(), dim=0).to(x.dtype)


def off_by_one(x: torch.Tensor) -> torch.Tensor:
    return plain(x.roll(1, dims=-1))


def ignores_strides(x: torch.Tensor) -> torch.Tensor:
    return plain(x.as_strided(x.shape, (x.shape[1], 1)))


def assumes_unit_stride(x: torch.Tensor) -> torch.Tensor:
    """Minds how far apart rows are, not columns."""
    return plain(x.as_strided(x.shape, (x.stride(0), 1)))


def plain(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1, dtype=torch.float32).to(x.dtype)


MUTANTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    mutant.__name__: mutant
    for mutant in (
        zeros,
        all_nan,
        unnormalised,
        float16_detour,
        bfloat16_detour,
        short_accumulator,
        dropped_tail_in_sum,
        dropped_tail_in_output,
        no_max,
        assumes_sorted,
        assumes_positive,
        assumes_finite,
        first_rows,
        wrong_axis,
        off_by_one,
        ignores_strides,
        assumes_unit_stride,
    )
}

problem = Problem(
    name="softmax",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=WORKLOADS,
    mutants=MUTANTS,
    ladder=(
        "passes",
        "fused",
        "three_passes",
        "shared",
        "shuffles",
        "online_pairs",
        "online",
        "compiled",
        "vectors",
        "one_row",
        "vectorised",
        "split",
        "cluster",
    ),
    peers=("fused", "compiled", "liger"),
    sizes=("rows", "columns"),
    moves="copy",
    growth=growth,
)
