"""Warps that copy and warps that multiply, in CUDA C++"""

from functools import cache

import torch

from warpbook.kernels.cuda import Kernel, kernel
from warpbook.kernels.matmul_bf16 import plans
from warpbook.kernels.tensor_map import fits, tensor_map

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.2
BOX = (64, 64)  # rows and columns that one request to the copy engine fetches
STORED = (16, 64)


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


@cache
def ready(tile: plans.Tile, dtype: torch.dtype) -> Kernel:
    return kernel(__file__, "matmul_bf16", dtype, *tile.parameters).in_clusters(tile.cluster)


@cache
def kept_tickets(device: torch.device, stream: int) -> torch.Tensor:
    return torch.zeros(2 * plans.MOST_SHARED_UNITS, dtype=torch.int32, device=device)


def tickets(device: torch.device) -> torch.Tensor:
    """A count for each shared unit: whoever counts the last adds up, and sets it back to 0. Those
    of a stream are kept; a graph has its own, set to 0 in the graph."""
    if torch.cuda.is_current_stream_capturing():
        return kept_tickets.__wrapped__(device, 0)
    return kept_tickets(device, torch._C._cuda_getCurrentRawStream(device.index or 0))


def readable(operand: torch.Tensor) -> tuple[torch.Tensor, bool]:
    """An operand [rows, k] as the copy engine can read it, and whether that is with k across the
    rows, transposed. One that it cannot read as it lies is copied to rows of whole 16 bytes."""
    if fits(operand):
        return operand, False
    if fits(operand.t()):
        return operand.t(), True
    rows, k = operand.shape
    return operand.new_empty(rows, -(-k // 8) * 8)[:, :k].copy_(operand), False


def multiply(a, b, bias, activation, c, plan):
    p, q = (b.t(), a) if plan.swapped else (a, b.t())
    (p, p_across), (q, q_across) = readable(p), readable(q)
    rows, columns = (c.shape[1], c.shape[0]) if plan.swapped else c.shape
    step_j, step_i = c.stride() if plan.swapped else reversed(c.stride())
    direct = plan.swapped != plan.tile.sideways or not fits(c)
    p_map, q_map = tensor_map(p, BOX), tensor_map(q, BOX)
    c_map = p_map if direct else tensor_map(c, STORED)
    partials = counts = None
    if plan.share:
        room = plan.places * plan.tile.rows * plan.tile.columns
        partials, counts = (
            torch.empty(room, dtype=torch.float32, device=a.device),
            tickets(a.device),
        )
    numbers = (
        rows, columns, step_i, step_j, plan.swapped, activation, p_across, q_across, direct,
        plan.tall, plan.wide, plan.group, plan.whole, plan.steps, plan.share,
    )  # fmt: skip
    run = ready(plan.tile, a.dtype)
    tensors = (p_map, q_map, c_map, c, bias, partials, counts)
    run(plan.blocks, plan.tile.threads, *tensors, *numbers, shared=plan.tile.shared)
    return c
