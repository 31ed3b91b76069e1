"""layer_norm: each row of a matrix, in any strides, to mean 0 and variance 1, then a weight and a
bias.

    y = (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.norm_mutants import Norm, around, kept_columns, short_sum
from warpbook.kernels.norm_workloads import ROWS, draw_columns, draw_rows
from warpbook.kernels.problem import Argument, Problem

EPS = 1e-5


def inputs(workload: Workload, generator: torch.Generator) -> tuple[Argument, ...]:
    x = draw_rows(workload, generator)
    return x, draw_columns(workload, generator), draw_columns(workload, generator), EPS


def reference(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    """In two passes over the row: the distances from the mean are squared, never the numbers."""
    distance = x - x.mean(-1, keepdim=True)
    variance = distance.square().mean(-1, keepdim=True)
    return distance / (variance + eps).sqrt() * weight + bias


def cost(workload: Workload) -> Cost:
    """An element is added up, shifted, squared, added up again, multiplied twice and shifted."""
    rows, columns = workload.shape
    size = getattr(torch, workload.dtype).itemsize
    return Cost((rows + 2) * columns * size, rows * columns * size, {"fp32": 7 * rows * columns})


def scale(arguments: Sequence[Argument], answer: torch.Tensor) -> torch.Tensor:
    """Element by element, of the terms and not of their sum.

    With z for the normalised row, y is weight * z + bias, and rounding it costs half an ulp of
    |weight z| + |bias| at most. The mean may be off by an ulp of mean|x|, which moves every z by
    as much over the deviation: that is added to |z|, but as 1 at most. In a row whose mean is far
    larger than its spread it is more, in float32; the reference loses as much there, so that the
    yardstick has it. 16 bits are not to be lax for its sake.
    """
    x, weight, bias, eps = arguments
    assert isinstance(x, torch.Tensor)
    assert isinstance(weight, torch.Tensor)
    assert isinstance(bias, torch.Tensor)
    distance = x - x.mean(-1, keepdim=True)
    deviation = (distance.square().mean(-1, keepdim=True) + eps).sqrt()
    shift = (x.abs().mean(-1, keepdim=True) / deviation).clamp(max=1)
    return weight.abs() * (distance.abs() / deviation + shift) + bias.abs()


def growth(workload: Workload) -> float:
    """How sums along the row may add to the error.

    The reference adds in pairs, and its sums lose next to nothing. Adding n terms of one sign one
    by one is honest too. Each step rounds by up to half an ulp of the sum so far, now up, now down,
    and the sum ends off by 0.24 sqrt(n) half ulps. For the mean that is 0.24 sqrt(n) half ulps of
    mean|x|; the deviation, being a root, has half as much. Growing as sqrt(n) / 4, the budget of 4
    is at least sqrt(n) half ulps, four standard deviations of the mean's error.

    An output in 16 bits hides all of it: float32 sums over 131072 columns stay under a tenth of
    its ulp, and half an ulp of a mean 2048 times the spread under a quarter of float16's. (Of equal
    terms each addition rounds the same way for a long while; those are drawn in 16 bits only.)
    """
    return max(1.0, sqrt(workload.shape[-1]) / 4) if workload.dtype == "float32" else 1.0


def plain(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    return by_moments(x, *moments(x), *rest)


def moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mean = x.float().mean(-1, keepdim=True)
    return mean, (x.float() - mean).square().mean(-1, keepdim=True)


def by_moments(
    x: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    eps: float,
) -> torch.Tensor:
    z = (x.float() - mean) / (variance + eps).sqrt()
    return (z * weight.float() + bias.float()).to(x.dtype)


def difference_of_squares(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """One pass: the mean of the squares less the square of the mean, and never below 0."""
    mean = x.float().mean(-1, keepdim=True)
    variance = x.float().square().mean(-1, keepdim=True) - mean.square()
    return by_moments(x, mean, variance.clamp(min=0), *rest)


def eps_forgotten(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    return plain(x, weight, bias, 0.0)


def eps_outside_the_root(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    mean, variance = moments(x)
    return by_moments(x, mean, (variance.sqrt() + eps).square(), weight, bias, 0.0)


def eps_of_rms_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    return plain(x, weight, bias, 1e-6)


def one_less(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Divides by n - 1."""
    mean, variance = moments(x)
    return by_moments(x, mean, variance * x.shape[-1] / (x.shape[-1] - 1), *rest)


def mean_not_subtracted(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean, variance = moments(x)
    return by_moments(x, torch.zeros_like(mean), variance, *rest)


def mean_not_subtracted_in_squares(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean, _ = moments(x)
    return by_moments(x, mean, x.float().square().mean(-1, keepdim=True), *rest)


def absolute_deviation(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean, _ = moments(x)
    deviation = (x.float() - mean).abs().mean(-1, keepdim=True)
    return by_moments(x, mean, deviation.square(), *rest)


def short_accumulator(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean = short_sum(x) / x.shape[-1]
    variance = short_sum((x.float() - mean).square()) / x.shape[-1]
    return by_moments(x, mean, variance, *rest)


def dropped_tail_in_mean(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean = x[:, : kept_columns(x)].float().sum(-1, keepdim=True) / x.shape[-1]
    variance = (x.float() - mean).square().mean(-1, keepdim=True)
    return by_moments(x, mean, variance, *rest)


def dropped_tail_in_variance(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean, _ = moments(x)
    squares = (x.float() - mean)[:, : kept_columns(x)].square()
    return by_moments(x, mean, squares.sum(-1, keepdim=True) / x.shape[-1], *rest)


def padding_in_variance(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Masked columns hold 0, and 0 is as far from the mean as the mean is large."""
    mean, variance = moments(x)
    missing = -x.shape[-1] % 64
    return by_moments(x, mean, variance + missing * mean.square() / x.shape[-1], *rest)


def wrong_axis(x: torch.Tensor, *rest: Any) -> torch.Tensor:
    mean, variance = moments(x.t())
    return by_moments(x, mean.t(), variance.t(), *rest)


def bias_forgotten(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    return plain(x, weight, torch.zeros_like(bias), eps)


def bias_before_weight(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    return plain(x, weight, bias * weight, eps)


def weight_and_bias_swapped(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    return plain(x, bias, weight, eps)


MUTANTS: dict[str, Norm] = around(plain) | {
    mutant.__name__: mutant
    for mutant in (
        difference_of_squares,
        eps_forgotten,
        eps_outside_the_root,
        eps_of_rms_norm,
        one_less,
        mean_not_subtracted,
        mean_not_subtracted_in_squares,
        absolute_deviation,
        short_accumulator,
        dropped_tail_in_mean,
        dropped_tail_in_variance,
        padding_in_variance,
        wrong_axis,
        bias_forgotten,
        bias_before_weight,
        weight_and_bias_swapped,
    )
}

problem = Problem(
    name="layer_norm",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=ROWS,
    mutants=MUTANTS,
    ladder=(
        "passes",
        "fused",
        "two_passes",
        "one_pass",
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
