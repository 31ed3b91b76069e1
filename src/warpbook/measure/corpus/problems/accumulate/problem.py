"""One vector added to another in place."""

from collections.abc import Sequence

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem


def inputs(workload: Workload, generator: torch.Generator) -> Sequence[Argument]:
    device = generator.device
    total = torch.randn(workload.shape, generator=generator, device=device)
    x = torch.randn(workload.shape, generator=generator, device=device)
    return [total, x]


def reference(total: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return total + x


def magnitude(arguments: Sequence[Argument], _: torch.Tensor) -> torch.Tensor:
    total, x = arguments
    assert isinstance(total, torch.Tensor)
    assert isinstance(x, torch.Tensor)
    return total.abs() + x.abs()


def cost(workload: Workload) -> Cost:
    (n,) = workload.shape
    return Cost(bytes_read=8 * n, bytes_written=4 * n)


problem = Problem(
    name="accumulate",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=(
        Workload("2^20", (2**20,), timed_on=("cpu",)),
        Workload("2^25", (2**25,), timed_on=("cuda",)),
        Workload("1000", (1000,)),
    ),
    mutants={
        "unchanged": lambda total, x: total.clone(),
        "twice": lambda total, x: total + 2 * x,
        "the tail left out": lambda total, x: torch.cat([total[:-3] + x[:-3], total[-3:]]),
    },
    mutates=(0,),
    scale=magnitude,
)
