"""A floor under the k best, and several blocks a row

The best of each of a few hundred groups of elements are as good as a sample: k of the groups have
an element at or above the k-th of them, so the k best of the row are there too, and with twice as
many groups as k few others are. What is above that floor goes into a list, nearly always less than
twice k elements; the rest costs a comparison for every 16 bytes, and the row is read once, as fast
as memory gives it. The list alone is sorted: by counting, for each, how many are above it, after
putting them into buckets where they are many. Rows that are few and long are shared by a cluster of
blocks, which agree on the floor, and of which the first gets all lists. Where a list is full (rows
in ascending order), the best k of it are found first, and the floor is theirs. Short rows need no
floor: where they are few, each number's position is counted, where many, a warp takes the best of a
row k times, or sorts it whole. Where k is large and a block has a row to itself, the kernel of
`radix` is quicker, and has it. A kernel has code only for what its launch can do: the rest would
have to be jumped over, and code comes from memory as well.
"""

from copy import copy
from dataclasses import astuple
from functools import cache

import torch

from warpbook.kernels.cuda import Kernel, kernel
from warpbook.kernels.topk import plans
from warpbook.kernels.topk.rungs import radix

LANGUAGE = "cuda"
EXPECTED_GAIN = 2.0

LONGEST = 2**31 - 2**20  # columns that are counted in 32 bits
Plan = plans.Plan
plan = plans.plan


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


@cache
def ready(dtype: torch.dtype, largest: bool, chosen: Plan, case: plans.Case) -> Kernel:
    """The kernel of a plan; those of one code differ in their clusters, so each is a copy."""
    run = copy(kernel(__file__, "topk", dtype, largest, *astuple(chosen.kind), *case))
    return run.in_clusters(chosen.cluster).takes("q" * 14)


def launch(x, k, largest, sorted, values, indices):
    """`x` has neighbouring columns side by side, and so have `values` and `indices`."""
    rows, columns = x.shape
    sms = multiprocessors(x.get_device())
    numbers = (rows, columns, x.stride(0), values.stride(0), indices.stride(0), k)
    short = plans.short(rows, columns, k, sms)
    if short:
        run = kernel(__file__, short.name, x.dtype, bool(largest), short.number)
        run(short.blocks, short.threads, x, values, indices, *numbers)
        return
    chosen = plan(rows, columns, k, x.itemsize, sms)
    if plans.by_radix(k, chosen):
        radix.launch(x, k, largest, values, indices)
        return
    case = plans.case(rows, columns, k, x.itemsize, sms, chosen)
    run = ready(x.dtype, bool(largest), chosen, case)
    lists = (chosen.aside, chosen.room, chosen.lot, chosen.cluster, int(sorted))
    grid, shared = chosen.at_once(rows, sms) * chosen.cluster, chosen.shared_bytes
    run(grid, chosen.threads, x, values, indices, *numbers, *lists, shared=shared)


def topk(x, k, largest=True, sorted=True, out=None):
    rows, columns = x.shape
    if k > min(plans.MOST_K, columns) or columns > LONGEST:
        return torch.topk(x, k, dim=-1, largest=largest, sorted=sorted, out=out)
    if out is None:
        out = x.new_empty(rows, k), x.new_empty(rows, k, dtype=torch.int64)
    if rows and k:
        launch(x if x.stride(1) == 1 else x.contiguous(), k, largest, sorted, *out)
    return out
