"""rms_norm: each row of a matrix, in any strides, over its root mean square, times a weight.

y = x / sqrt(mean(x * x) + eps) * weight
"""

from math import sqrt

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.norm_mutants import Norm, around, kept_columns, short_sum
from warpbook.kernels.norm_workloads import ROWS, draw_columns, draw_rows
from warpbook.kernels.problem import Argument, Problem

EPS = 1e-6


def inputs(workload: Workload, generator: torch.Generator) -> tuple[Argument, ...]:
    return draw_rows(workload, generator), draw_columns(workload, generator), EPS


def reference(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    mean_square = x.square().mean(-1, keepdim=True)
    return x / (mean_square + eps).sqrt() * weight


def cost(workload: Workload) -> Cost:
    """An element is squared, added up, and multiplied by two factors."""
    rows, columns = workload.shape
    size = getattr(torch, workload.dtype).itemsize
    return Cost((rows + 1) * columns * size, rows * columns * size, {"fp32": 4 * rows * columns})


def scale(arguments: object, answer: torch.Tensor) -> torch.Tensor:
    """Element by element: nothing cancels. Squares are positive, their sum is as exact as any of
    them, and after it there are only products, so a small element has no excuse for an error that
    a large neighbour would hide."""
    return answer.abs()


def growth(workload: Workload) -> float:
    """How the sum of squares may add to the error.

    The reference adds in pairs, and its sum loses next to nothing. Adding n positive terms one by
    one is honest too. Each step rounds by up to half an ulp of the sum so far, now up, now down,
    and the sum ends off by 0.24 sqrt(n) half ulps; the root halves that. Growing as sqrt(n) / 8,
    the budget of 4 is at least sqrt(n) / 2 half ulps, four standard deviations of it. An output in
    16 bits hides all of it: float32 sums over 131072 columns stay under a tenth of its ulp.
    """
    return max(1.0, sqrt(workload.shape[-1]) / 8) if workload.dtype == "float32" else 1.0


def plain(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return by_mean_square(x, x.float().square().mean(-1, keepdim=True), weight, eps)


def by_mean_square(
    x: torch.Tensor, mean_square: torch.Tensor, weight: torch.Tensor, eps: float
) -> torch.Tensor:
    return (x.float() / (mean_square + eps).sqrt() * weight.float()).to(x.dtype)


def eps_forgotten(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return plain(x, weight, 0.0)


def eps_outside_the_root(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    root = x.float().square().mean(-1, keepdim=True).sqrt()
    return (x.float() / (root + eps) * weight.float()).to(x.dtype)


def eps_of_layer_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return plain(x, weight, 1e-5)


def one_less(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Divides by n - 1."""
    total = x.float().square().sum(-1, keepdim=True)
    return by_mean_square(x, total / (x.shape[-1] - 1), weight, eps)


def sum_of_squares(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Takes the sum for the mean."""
    return by_mean_square(x, x.float().square().sum(-1, keepdim=True), weight, eps)


def mean_subtracted(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    variance = x.float().var(-1, unbiased=False, keepdim=True)
    return by_mean_square(x, variance, weight, eps)


def short_accumulator(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return by_mean_square(x, short_sum(x.float().square()) / x.shape[-1], weight, eps)


def dropped_tail_in_sum(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    total = x[:, : kept_columns(x)].float().square().sum(-1, keepdim=True)
    return by_mean_square(x, total / x.shape[-1], weight, eps)


def wrong_axis(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return by_mean_square(x, x.float().square().mean(0, keepdim=True), weight, eps)


MUTANTS: dict[str, Norm] = around(plain) | {
    mutant.__name__: mutant
    for mutant in (
        eps_forgotten,
        eps_outside_the_root,
        eps_of_layer_norm,
        one_less,
        sum_of_squares,
        mean_subtracted,
        short_accumulator,
        dropped_tail_in_sum,
        wrong_axis,
    )
}

problem = Problem(
    name="rms_norm",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=ROWS,
    mutants=MUTANTS,
    ladder=(
        "passes",
        "fused",
        "two_passes",
        "shuffles",
        "vectors",
        "compiled",
        "registers",
        "cluster",
    ),
    peers=("fused", "compiled", "liger"),
    sizes=("rows", "columns"),
    moves="copy",
    scale=scale,
    growth=growth,
)
