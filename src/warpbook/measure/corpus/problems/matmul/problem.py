"""A product of two square float32 matrices."""

from collections.abc import Sequence

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem


def inputs(workload: Workload, generator: torch.Generator) -> Sequence[Argument]:
    rows, inner, columns = workload.shape
    a = torch.randn(rows, inner, generator=generator, device=generator.device)
    b = torch.randn(inner, columns, generator=generator, device=generator.device)
    return [a, b]


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def scale(arguments: Sequence[Argument], _: torch.Tensor) -> torch.Tensor:
    a, b = arguments
    assert isinstance(a, torch.Tensor)
    assert isinstance(b, torch.Tensor)
    return a.abs() @ b.abs()


def cost(workload: Workload) -> Cost:
    rows, inner, columns = workload.shape
    return Cost(
        bytes_read=4 * inner * (rows + columns),
        bytes_written=4 * rows * columns,
        operations={"fp32": 2.0 * rows * inner * columns},
    )


def rounded(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.bfloat16().to(a.dtype) @ b.bfloat16().to(b.dtype)


problem = Problem(
    name="matmul",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=(
        Workload("384x384x384", (384, 384, 384), timed_on=("cpu",)),
        Workload("2048x2048x2048", (2048, 2048, 2048), timed_on=("cuda",)),
        Workload("3x63x5", (3, 63, 5)),
    ),
    mutants={
        "inputs rounded to bfloat16": rounded,
        "one term short": lambda a, b: a[:, :-1] @ b[:-1],
        "zeros": lambda a, b: b.new_zeros(a.shape[0], b.shape[1]),
    },
    scale=scale,
)
