"""Which of several ways to do the same work is quickest on this GPU.

Each way is captured in a CUDA graph, so that the host has no part in its time, over tensors that
together are larger than the L2, so that it finds nothing there. The ways take turns. Knows nothing
of plans and kernels.
"""

from collections.abc import Callable, Sequence
from statistics import median

import torch

ROUNDS = 15
NO_DIFFERENCE = 0.01


def quickest(ways: Sequence[Callable[[], None]]) -> int:
    """The index of one; of the first, unless another is quicker by more than the noise."""
    graphs = [captured(way) for way in ways]
    times: list[list[float]] = [[] for _ in graphs]
    for _ in range(ROUNDS):
        for graph, taken in zip(graphs, times, strict=True):
            taken.append(milliseconds(graph))
    medians = [median(taken) for taken in times]
    best = min(range(len(medians)), key=medians.__getitem__)
    return best if medians[best] < medians[0] * (1 - NO_DIFFERENCE) else 0


def captured(way: Callable[[], None]) -> torch.cuda.CUDAGraph:
    way()  # what is loaded when it is first used cannot be in a graph
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        way()
    graph.replay()
    return graph


def milliseconds(graph: torch.cuda.CUDAGraph) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in "ab")  # type: ignore[no-untyped-call]
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end))


def copies(bytes_each: int, device: int) -> int:
    """How many sets of tensors are more than the L2 holds, four times over."""
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    return min(max(-(-4 * cache // bytes_each), 2), 256)
