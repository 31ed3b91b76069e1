"""Each row divided by the mean of its magnitudes."""

from collections.abc import Sequence

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem


def inputs(workload: Workload, generator: torch.Generator) -> Sequence[Argument]:
    x = torch.randn(workload.shape, generator=generator, device=generator.device)
    if workload.values == "positive":
        x = x.abs()
    if workload.layout == "every other column":
        wide = torch.zeros(x.shape[0], 2 * x.shape[1], device=x.device)
        x = wide[:, ::2].copy_(x)
    return [x]


def reference(x: torch.Tensor) -> torch.Tensor:
    return x / x.abs().mean(dim=-1, keepdim=True)


def cost(workload: Workload) -> Cost:
    rows, columns = workload.shape
    return Cost(bytes_read=4 * rows * columns, bytes_written=4 * rows * columns)


problem = Problem(
    name="normalise",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=(
        # Long enough that a quarter of a call is more than the way to a child and back on a CPU,
        # and an eighth on a GPU: the judge promises no finer sight of a lie about time.
        Workload("2048x1024", (2048, 1024), timed_on=("cpu",)),
        Workload("16384x4096", (16384, 4096), timed_on=("cuda",)),
        Workload("one element", (1, 1)),
        Workload("3x63", (3, 63)),
        Workload("7x1000", (7, 1000)),
        Workload("positive", (33, 257), values="positive"),
        Workload("strided", (17, 129), layout="every other column"),
    ),
    mutants={
        "no magnitude": lambda x: x / x.mean(dim=-1, keepdim=True),
        "largest instead of mean": lambda x: x / x.abs().amax(dim=-1, keepdim=True),
        "mean of all rows": lambda x: x / x.abs().mean(),
        "half precision inside": lambda x: (x.half() / x.half().abs().mean(-1, True)).float(),
        "zeros": torch.zeros_like,
        "the input": torch.clone,
    },
)
