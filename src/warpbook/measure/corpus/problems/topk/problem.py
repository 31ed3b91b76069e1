"""The k largest of each row, largest first, and where they were."""

from collections.abc import Sequence

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem


def inputs(workload: Workload, generator: torch.Generator) -> Sequence[Argument]:
    x = torch.randn(workload.shape, generator=generator, device=generator.device)
    if workload.values == "sorted":
        x = x.sort(dim=-1, descending=True).values
    if workload.values == "constant":
        x = torch.full_like(x, 2.5)
    return [x, int(workload.extra["k"])]


def reference(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = x.topk(k, dim=-1)
    return values, indices


def check(
    outputs: Sequence[torch.Tensor], arguments: Sequence[Argument], truth: Sequence[torch.Tensor]
) -> str | None:
    """Equal values may come from any of their places, so the indices are held to a property."""
    values, indices = outputs
    x = arguments[0]
    assert isinstance(x, torch.Tensor)
    if not torch.equal(values, truth[0].to(values.dtype)):
        return "values are not the largest in order"
    if bool(((indices < 0) | (indices >= x.shape[-1])).any()):
        return "indices outside the row"
    if not torch.equal(x.gather(-1, indices), values):
        return "indices do not point at the values"
    in_order = indices.sort(dim=-1).values
    if bool((in_order[..., 1:] == in_order[..., :-1]).any()):
        return "an index is given twice"
    return None


def cost(workload: Workload) -> Cost:
    rows, columns = workload.shape
    k = int(workload.extra["k"])
    return Cost(bytes_read=4 * rows * columns, bytes_written=12 * rows * k)


def same_index(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = x.topk(k, dim=-1)
    return values, indices[:, :1].expand_as(indices).contiguous()


def first(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    indices = torch.arange(k, device=x.device).expand(x.shape[0], k).contiguous()
    return x[:, :k].contiguous(), indices


def smallest(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = x.topk(k, dim=-1, largest=False)
    return values, indices


problem = Problem(
    name="topk",
    inputs=inputs,
    reference=reference,
    cost=cost,
    workloads=(
        Workload("128x2048 k 8", (128, 2048), timed_on=("cpu",), extra={"k": 8}),
        Workload("4096x8192 k 8", (4096, 8192), timed_on=("cuda",), extra={"k": 8}),
        Workload("3x63 k 5", (3, 63), extra={"k": 5}),
        Workload("sorted", (5, 100), values="sorted", extra={"k": 10}),
        Workload("constant", (5, 100), values="constant", extra={"k": 10}),
    ),
    mutants={"one index for all": same_index, "the first k": first, "the smallest": smallest},
    output_dtypes=("float32", "int64"),
    check=check,
)
