"""Warps that copy and warps that multiply, in CUDA C++

Each block is made of warpgroups with one task each. One thread does nothing but ask the copy engine
(TMA) for the next tiles, as far ahead as shared memory has room; two warpgroups do nothing but
multiply with wgmma, which takes both operands from shared memory and is given the next step before
the last has ended; barriers in shared memory pass stages to and fro. So no thread ever waits for an
address, and while one tile is written, the first steps of the next one come in. Blocks stay and
take tile after tile; two of them, one below the other, may each fetch half of what both need. Few
rows of A take the place of columns, since wgmma takes 64 rows at a time and as few as 8 columns.
Where tiles are fewer than multiprocessors, blocks divide k: a pair adds up in each other's shared
memory, and more by way of memory, where whoever comes last adds all parts in one order. Which of
fifteen tiles and how to divide is up to a small model of the time (plans.py). A launch has code for
what it does and for nothing else, since code comes from memory too. An operand that the copy engine
cannot read as it lies, with rows that are no multiple of 16 bytes apart, is copied first. One row
alone, times weights with k along their rows, is left to gemv, which has no tiles to fill.
"""

from functools import cache
from typing import NamedTuple

import torch

from warpbook.kernels.cuda import Kernel, kernel
from warpbook.kernels.gemv.rungs import split
from warpbook.kernels.matmul_bf16 import plans
from warpbook.kernels.tensor_map import fits, tensor_map

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.2
BOX = (64, 64)  # rows of k and columns, of an operand with k across its rows


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


class Case(NamedTuple):
    """What a launch does besides its tile; it has no code for anything else. Whether k is across
    the rows of P and of Q in memory, whether blocks share k by way of memory, whether the product
    is written one by one, and whether there is a bias or an activation."""

    p_across: bool
    q_across: bool
    shared: bool
    direct: bool
    finished: bool


@cache
def ready(tile: plans.Tile, dtype: torch.dtype, case: Case) -> Kernel:
    made = kernel(__file__, "matmul_bf16", dtype, *tile.parameters, *case)
    return made.in_clusters(tile.cluster)


@cache
def kept_tickets(device: torch.device, stream: int) -> torch.Tensor:
    return torch.zeros(plans.TICKETS, dtype=torch.int32, device=device)


def tickets(device: torch.device) -> torch.Tensor:
    """A count for each shared unit: whoever counts the last adds up, and sets it back to 0. Those
    of a stream are kept; a graph has its own, set to 0 in the graph."""
    if torch.cuda.is_current_stream_capturing():
        return kept_tickets.__wrapped__(device, 0)
    return kept_tickets(device, torch._C._cuda_getCurrentRawStream(device.index or 0))


def readable(operand: torch.Tensor, along_k: bool = False) -> tuple[torch.Tensor, bool]:
    """An operand [rows, k] as the copy engine can read it, and whether that is with k across the
    rows, transposed. One that it cannot read so is copied to rows of whole 16 bytes."""
    if fits(operand):
        return operand, False
    if fits(operand.t()) and not along_k:
        return operand.t(), True
    rows, k = operand.shape
    return operand.new_empty(rows, -(-k // 8) * 8)[:, :k].copy_(operand), False


def multiply(a, b, bias, activation, c, plan):
    """Into `c`, which may lie anyhow; `bias` has neighbours side by side."""
    tile = plan.tile
    p, q = (b.t(), a) if plan.swapped else (a, b.t())
    (p, p_across), (q, q_across) = readable(p), readable(q, tile.columns < 64)
    rows, columns = (c.shape[1], c.shape[0]) if plan.swapped else c.shape
    step_j, step_i = c.stride() if plan.swapped else reversed(c.stride())
    direct = plan.swapped != tile.sideways or not fits(c)
    p_map = tensor_map(p, BOX if p_across else (tile.rows, plans.STEP))
    # A row that is not there takes longer to fetch than one that is, so none is asked for.
    q_rows = min(tile.columns // tile.pair, columns)
    q_map = tensor_map(q, BOX if q_across else (q_rows, plans.STEP))
    q_bytes = (-(-tile.columns // 64) * 64 if q_across else q_rows * tile.pair) * plans.STEP * 2
    c_map = p_map if direct else stored(c, tile)
    partials = counts = None
    if plan.share:
        room = plan.places * tile.rows * tile.columns
        partials = torch.empty(room, dtype=torch.float32, device=a.device)
        counts = tickets(a.device)
    numbers = (
        rows, columns, step_i, step_j, plan.swapped, activation, q_bytes,
        tile.stages(q_across), tile.stage(q_across),
        plan.tall, plan.wide, plan.group, plan.whole, plan.steps, plan.share,
    )  # fmt: skip
    finished = bias is not None or activation != 0
    run = ready(tile, a.dtype, Case(p_across, q_across, plan.share > 0, direct, finished))
    tensors = (p_map, q_map, c_map, c, bias, partials, counts)
    run(plan.blocks, tile.threads, *tensors, *numbers, shared=tile.shared(q_across))
    return c


def stored(c, tile):
    columns = 64 if tile.sideways else tile.stored_at_once
    return tensor_map(c, (16, columns), swizzle=128 if columns == 64 else 0)


def matmul_bf16(a, b, bias=None, activation=0, out=None):
    (m, k), n = a.shape, b.shape[1]
    out = a.new_empty(m, n) if out is None else out
    if out.numel() == 0:
        return out
    if k == 0:  # a tile has a size; zeros add nothing
        a, b, k = a.new_zeros(m, 8), b.new_zeros(8, n), 8
    if m == 1 and bias is None and not activation and b.stride(0) == 1:
        split.gemv(b.t(), a[0], out[0])
        return out
    bias = None if bias is None else bias.contiguous()
    plan = planned(a, b, activation != 0, multiprocessors(a.get_device()))
    return multiply(a, b, bias, activation, out, plan)


def planned(a: torch.Tensor, b: torch.Tensor, activated: bool, sms: int) -> plans.Plan:
    b_across = not fits(b.t()) and fits(b)
    ragged = any(max(t.stride()) * t.itemsize % plans.LINE for t in (a, b))
    ways = plans.Ways(ragged, activated)
    return plans.plan(len(a), b.shape[1], a.shape[1], sms, b_across, ways)
