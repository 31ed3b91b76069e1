"""Programs that stay, and a copy engine that fetches

A multiprocessor has one program that takes tile after tile, so that the first loads of the next
tile leave before the last one is stored. Tiles are fetched and stored by the tensor memory
accelerator (TMA): one thread names a box of a matrix, and hardware works out the addresses, zeroes
what lies past the edge, and writes shared memory in the order that wgmma reads. Few rows change
places with the columns, since wgmma takes 64 rows at least and any multiple of 8 columns. Where
tiles are still too few, k is cut into parts, and whoever has the last part of a tile adds them up,
in one order whoever that is. A matrix that the TMA cannot read, with rows that are no multiple of
16 bytes apart, is copied first.
"""

from functools import cache

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from warpbook.kernels.matmul_bf16 import epilogue, tiles

LANGUAGE = "triton"
EXPECTED_GAIN = 1.15

GROUP = 8


@triton.jit
def tiles_in_turn(
    a, b, bias, out, partial, tickets, m, n, steps, bias_step, out_row, out_column,
    A_TURNED: tl.constexpr, B_TURNED: tl.constexpr, BOXED: tl.constexpr, SWAPPED: tl.constexpr,
    ACTIVATION: tl.constexpr, PARTS: tl.constexpr, GROUP: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    down, across = tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS)
    each = tl.cdiv(steps, PARTS)  # past the end of k the TMA reads zeros
    for turn in tl.range(
        tl.program_id(0), down * across * PARTS, tl.num_programs(0), flatten=PARTS == 1
    ):
        tile, part = turn // PARTS, turn % PARTS
        group, within = tile // (GROUP * across), tile % (GROUP * across)
        height = min(down - group * GROUP, GROUP)
        row = (group * GROUP + within % height) * ROWS
        column = within // height * COLUMNS
        total = tl.zeros((ROWS, COLUMNS), tl.float32)
        for step in range(part * each, (part + 1) * each):
            inner = step * DEPTH
            left = a.load([inner, row]).T if A_TURNED else a.load([row, inner])
            right = b.load([column, inner]).T if B_TURNED else b.load([inner, column])
            total = tl.dot(left, right, total)
        last = True
        if PARTS > 1:
            place = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
            place += tile * (PARTS * ROWS * COLUMNS)
            tl.store(partial + place + part * (ROWS * COLUMNS), total)
            tl.debug_barrier()  # all threads have stored before one says so
            last = tl.atomic_add(tickets + tile, 1) == PARTS - 1
            if last:
                total = tl.load(partial + place)
                for other in range(1, PARTS):
                    total += tl.load(partial + place + other * (ROWS * COLUMNS))
                tl.store(tickets + tile, 0)
        if last:
            epilogue.write(
                total, bias, out, row, column, m, n, bias_step, out_row, out_column,
                ACTIVATION, BOXED, SWAPPED,
            )  # fmt: skip


def matmul_bf16(a, b, bias=None, activation=0, out=None):
    (m, k), n = a.shape, b.shape[1]
    out = a.new_empty(m, n) if out is None else out
    if out.numel() == 0:
        return out
    if k == 0:  # a box has a size; zeros add nothing
        a, b, k = a.new_zeros(m, 8), b.new_zeros(8, n), 8
    swapped = m <= tiles.FEW and m < n
    sizes = (n, m, k) if swapped else (m, n, k)
    plan = tiles.plan(*sizes, tiles.multiprocessors(a.device))
    # The transposed product of the transposed matrices, where that is the better way round.
    given = (b.t(), a.t(), out.t()) if swapped else (a, b, out)
    carry_out(plan, *given, bias, activation, swapped)
    return out


def carry_out(plan, a, b, out, bias, activation, swapped):
    tile, parts, (m, k), n = plan.tile, plan.parts, a.shape, b.shape[1]
    count = triton.cdiv(m, tile.rows) * triton.cdiv(n, tile.columns)
    places = tiles.multiprocessors(a.device)
    partial = tickets = None
    if parts > 1:
        partial = a.new_empty(count * parts * tile.rows * tile.columns, dtype=torch.float32)
        tickets = tickets_for(a.device)
    a, a_turned = box(a, tile.rows, tile.depth)
    b, b_turned = box(b, tile.depth, tile.columns)
    strides, boxed = out.stride(), reachable(out)
    if boxed:
        out = TensorDescriptor(out, out.shape, strides, [tile.rows, min(tile.columns, 128)])
    tiles_in_turn[(min(count * parts, places),)](
        a, b, bias, out, partial, tickets, m, n, triton.cdiv(k, tile.depth),
        0 if bias is None else bias.stride(0), *strides,
        A_TURNED=a_turned, B_TURNED=b_turned, BOXED=boxed, SWAPPED=swapped,
        ACTIVATION=activation, PARTS=parts, GROUP=GROUP,
        ROWS=tile.rows, COLUMNS=tile.columns, DEPTH=tile.depth,
        num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip


@cache
def kept_tickets(device, stream):
    """A count for each tile that is cut, which its last part sets back to 0. Products of one
    stream come one after the other and share them."""
    return torch.zeros(tiles.MOST_CUT, dtype=torch.int32, device=device)


def tickets_for(device):
    if device.type != "cuda":
        return kept_tickets(device, 0)
    if torch.cuda.is_current_stream_capturing():  # a graph may run beside anything
        return kept_tickets.__wrapped__(device, 0)
    return kept_tickets(device, torch.cuda.current_stream(device).cuda_stream)


def box(x, height, width):
    """What the TMA needs to fetch boxes of x, and whether they come transposed."""
    if x.stride(0) == 1 and x.stride(1) != 1:
        return box(x.t(), width, height)[0], True
    if not reachable(x):
        rows, columns = x.shape
        x = x.new_empty(rows, triton.cdiv(columns, 8) * 8)[:, :columns].copy_(x)
    return TensorDescriptor(x, x.shape, x.stride(), [height, width]), False


def reachable(x):
    step = x.stride(0) * x.itemsize
    return x.stride(1) == 1 and step > 0 and step % 16 == 0 and x.data_ptr() % 16 == 0
