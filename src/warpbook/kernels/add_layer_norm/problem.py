"""add_layer_norm: a sum of two matrices, in any strides, and its layer_norm.

    h = x + residual
    y = (h - mean(h)) / sqrt(variance(h) + eps) * weight + bias

The sum may be normalised before or after it is rounded to its dtype: both are right.
"""

from collections.abc import Sequence

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.layer_norm import problem as layer_norm
from warpbook.kernels.norm_mutants import of_sums
from warpbook.kernels.norm_workloads import SUMS, draw_columns, draw_terms
from warpbook.kernels.problem import Argument, Problem


def inputs(workload: Workload, generator: torch.Generator) -> tuple[Argument, ...]:
    terms = draw_terms(workload, generator)
    weight, bias = draw_columns(workload, generator), draw_columns(workload, generator)
    return *terms, weight, bias, layer_norm.EPS


def reference(
    x: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    h = x + residual
    return layer_norm.reference(h, weight, bias, eps), h


def cost(workload: Workload) -> Cost:
    """Another matrix to read, another to write, and an addition."""
    rows, columns = workload.shape
    matrix_bytes = rows * columns * getattr(torch, workload.dtype).itemsize
    norm = layer_norm.cost(workload)
    return Cost(
        norm.bytes_read + matrix_bytes,
        norm.bytes_written + matrix_bytes,
        {"fp32": norm.operations["fp32"] + rows * columns},
    )


def scale(arguments: Sequence[Argument], answer: torch.Tensor) -> torch.Tensor:
    """Of the norm, as layer_norm has it. Of the sum, its own elements: two numbers are added with
    one rounding. Which of the two is asked about is told by its numbers.

    Rounding the sum before it is normalised moves z by half an ulp of |h| over the deviation, and
    that is at most |z| and the share of the mean, which the scale holds. The one exception is a
    shifted row in 16 bits, and those are drawn so that their sums are exact.
    """
    x, residual, *rest = arguments
    assert isinstance(x, torch.Tensor)
    assert isinstance(residual, torch.Tensor)
    h = x + residual
    if torch.equal(answer.nan_to_num(), h.nan_to_num()):
        return answer.abs()
    return layer_norm.scale([h, *rest], answer)


problem = Problem(
    name="add_layer_norm",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=SUMS,
    mutants=of_sums(layer_norm.plain, layer_norm.MUTANTS),
    ladder=("separate", "compiled", "registers", "cluster"),
    peers=("separate", "compiled"),
    sizes=("rows", "columns"),
    moves="pair",
    scale=scale,
    growth=layer_norm.growth,
)
