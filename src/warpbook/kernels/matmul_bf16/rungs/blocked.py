"""A program a tile

Each program has a tile of the answer and walks along k: a tile of A and a tile of B at a time, each
number of which is then used 128 times or more, where a thread a number would use it once. `tl.dot`
is the matrix unit (wgmma on Hopper), sums are in float32, and tiles that are on their way while the
last ones are multiplied are Triton's own doing. Rows and columns past the end are wrapped around
and not stored; past the end of k both are 0. Bias and activation are applied before the tile is
rounded, so they cost no trip through memory.
"""

import triton
import triton.language as tl

from warpbook.kernels.matmul_bf16 import epilogue, tiles

LANGUAGE = "triton"


@triton.jit
def one_tile(
    a, b, bias, out, m, n, k, a_row, a_column, b_row, b_column, bias_step, out_row, out_column,
    ACTIVATION: tl.constexpr, WHOLE: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(n, COLUMNS)
    first_row = tl.program_id(0) // across * ROWS
    first_column = tl.program_id(0) % across * COLUMNS
    row = first_row + tl.arange(0, ROWS)
    column = first_column + tl.arange(0, COLUMNS)
    inner = tl.arange(0, DEPTH)
    # Offsets are 64 bits wide: a large matrix holds more than 2^31 elements.
    a += (row % m).to(tl.int64)[:, None] * a_row + inner.to(tl.int64)[None, :] * a_column
    b += inner.to(tl.int64)[:, None] * b_row + (column % n).to(tl.int64)[None, :] * b_column
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, k, DEPTH):
        if WHOLE:
            left, right = tl.load(a), tl.load(b)
        else:
            left = tl.load(a, inner[None, :] < k - start, 0.0)
            right = tl.load(b, inner[:, None] < k - start, 0.0)
        total = tl.dot(left, right, total)
        a += DEPTH * tl.cast(a_column, tl.int64)
        b += DEPTH * tl.cast(b_row, tl.int64)
    total = epilogue.finish(total, bias, column[None, :], n, bias_step, ACTIVATION)
    here = out + row.to(tl.int64)[:, None] * out_row + column.to(tl.int64)[None, :] * out_column
    tl.store(here, total.to(out.dtype.element_ty), (row < m)[:, None] & (column < n)[None, :])


def matmul_bf16(a, b, bias=None, activation=0, out=None):
    (m, k), n = a.shape, b.shape[1]
    out = a.new_empty(m, n) if out is None else out
    if out.numel() == 0:
        return out
    tile = tiles.plan(m, n, k, tiles.multiprocessors(a.device), most_parts=1).tile
    grid = (triton.cdiv(m, tile.rows) * triton.cdiv(n, tile.columns),)
    bias_step = 0 if bias is None else bias.stride(0)
    one_tile[grid](
        a, b, bias, out, m, n, k, *a.stride(), *b.stride(), bias_step, *out.stride(),
        ACTIVATION=activation, WHOLE=k % tile.depth == 0,
        ROWS=tile.rows, COLUMNS=tile.columns, DEPTH=tile.depth,
        num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip
    return out
