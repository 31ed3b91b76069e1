"""Programs that stay, and a copy engine that fetches

Three changes. A multiprocessor has one program that takes tile after tile, so that the first loads
of the next tile leave while the last one is being written. Tiles are fetched and stored by the
tensor memory accelerator (TMA): one thread names a box of a matrix, and hardware works out the
addresses, zeroes what lies past the edge, and writes shared memory in the order that wgmma reads.
And where tiles are too few for the device, as with few rows, k is cut into parts that a second
kernel adds up in a fixed order; few rows also take the place of the columns, since wgmma takes 64
rows at least and any multiple of 8 columns. A matrix that the TMA cannot read, with rows that are
no multiple of 16 bytes apart, is copied first.
"""

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
    a, b, bias, out, m, n, steps, bias_step, out_part, out_row, out_column,
    A_TURNED: tl.constexpr, B_TURNED: tl.constexpr, BOXED: tl.constexpr, SWAPPED: tl.constexpr,
    ACTIVATION: tl.constexpr, PARTS: tl.constexpr, GROUP: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    down, across = tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS)
    each = tl.cdiv(steps, PARTS)  # past the end of k the TMA reads zeros
    for tile in tl.range(tl.program_id(0), down * across * PARTS, tl.num_programs(0), flatten=True):
        part = tile % PARTS
        group = tile // PARTS // (GROUP * across)
        within = tile // PARTS % (GROUP * across)
        height = min(down - group * GROUP, GROUP)
        row = (group * GROUP + within % height) * ROWS
        column = within // height * COLUMNS
        total = tl.zeros((ROWS, COLUMNS), tl.float32)
        for step in range(each):
            inner = (part * each + step) * DEPTH
            left = a.load([inner, row]).T if A_TURNED else a.load([row, inner])
            right = b.load([column, inner]).T if B_TURNED else b.load([inner, column])
            total = tl.dot(left, right, total)
        # By halves, one after the other, a wide tile takes half as much shared memory to store.
        here = out if BOXED else out + part.to(tl.int64) * out_part
        if COLUMNS == 256:
            left, right = epilogue.halves(total)
            epilogue.write(
                left, bias, here, row, column, m, n, bias_step, out_row, out_column,
                ACTIVATION, BOXED, SWAPPED,
            )  # fmt: skip
            epilogue.write(
                right, bias, here, row, column + 128, m, n, bias_step, out_row, out_column,
                ACTIVATION, BOXED, SWAPPED,
            )  # fmt: skip
        else:
            epilogue.write(
                total, bias, here, row, column, m, n, bias_step, out_row, out_column,
                ACTIVATION, BOXED, SWAPPED,
            )  # fmt: skip


@triton.jit
def add_parts(
    parts, bias, out, n, count, bias_step, out_row, out_column,
    ACTIVATION: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for part in tl.static_range(PARTS):
        total += tl.load(parts + part * count + index, index < count, 0.0)
    row, column = index // n, index % n
    total = epilogue.finish(total, bias, column, n, bias_step, ACTIVATION)
    here = out + row * out_row + column * out_column
    tl.store(here, total.to(out.dtype.element_ty), index < count)


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
    return carry_out(plan, a, b, bias, activation, out, swapped)


def carry_out(plan, a, b, bias, activation, out, swapped):
    if plan.parts == 1:
        launch(plan, a, b, bias, activation, out, swapped)
        return out
    count = out.numel()
    parts = torch.empty(plan.parts, *out.shape, dtype=torch.float32, device=a.device)
    launch(plan, a, b, None, 0, parts, swapped)
    add_parts[(triton.cdiv(count, 1024),)](
        parts, bias, out, out.shape[1], count, 0 if bias is None else bias.stride(0), *out.stride(),
        ACTIVATION=activation, PARTS=plan.parts, BLOCK=1024,
    )  # fmt: skip
    return out


def launch(plan, a, b, bias, activation, out, swapped):
    """Swapped, it is the transposed product of the transposed matrices."""
    if swapped:
        a, b, out = b.t(), a.t(), out.transpose(-1, -2)
    tile, (m, k), n = plan.tile, a.shape, b.shape[1]
    a, a_turned = box(a, tile.rows, tile.depth)
    b, b_turned = box(b, tile.depth, tile.columns)
    strides = (0, *out.stride())[-3:]
    boxed = out.dim() == 2 and reachable(out)
    if boxed:
        out = TensorDescriptor(out, out.shape, out.stride(), [tile.rows, min(tile.columns, 128)])
    count = triton.cdiv(m, tile.rows) * triton.cdiv(n, tile.columns) * plan.parts
    places = tiles.multiprocessors(a.base.device) * tile.resident
    tiles_in_turn[(min(count, places),)](
        a, b, bias, out, m, n, triton.cdiv(k, tile.depth), 0 if bias is None else bias.stride(0),
        *strides, A_TURNED=a_turned, B_TURNED=b_turned, BOXED=boxed, SWAPPED=swapped,
        ACTIVATION=activation, PARTS=plan.parts, GROUP=GROUP,
        ROWS=tile.rows, COLUMNS=tile.columns, DEPTH=tile.depth,
        num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip


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
