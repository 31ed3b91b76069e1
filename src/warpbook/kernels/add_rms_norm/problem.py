"""add_rms_norm: a sum of two matrices, in any strides, and its rms_norm.

    h = x + residual
    y = h / sqrt(mean(h * h) + eps) * weight

The sum may be normalised before or after it is rounded to its dtype: both are right.
"""

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.norm_mutants import of_sums
from warpbook.kernels.norm_workloads import SUMS, draw_columns, draw_terms
from warpbook.kernels.problem import Argument, Problem
from warpbook.kernels.rms_norm import problem as rms_norm


def inputs(workload: Workload, generator: torch.Generator) -> tuple[Argument, ...]:
    return *draw_terms(workload, generator), draw_columns(workload, generator), rms_norm.EPS


def reference(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    h = x + residual
    return rms_norm.reference(h, weight, eps), h


def cost(workload: Workload) -> Cost:
    """Another matrix to read, another to write, and an addition."""
    rows, columns = workload.shape
    matrix_bytes = rows * columns * getattr(torch, workload.dtype).itemsize
    norm = rms_norm.cost(workload)
    return Cost(
        norm.bytes_read + matrix_bytes,
        norm.bytes_written + matrix_bytes,
        {"fp32": norm.operations["fp32"] + rows * columns},
    )


problem = Problem(
    name="add_rms_norm",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=SUMS,
    mutants=of_sums(rms_norm.plain, rms_norm.MUTANTS),
    ladder=("separate", "compiled", "registers", "cluster"),
    peers=("separate", "compiled"),
    sizes=("rows", "columns"),
    moves="pair",
    # Two numbers are added with one rounding, an ulp of the sum's own: element by element still.
    scale=rms_norm.scale,
    growth=rms_norm.growth,
)
