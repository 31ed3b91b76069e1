"""Tiles in Triton

The same in blocks: a program has a tile of C, and a loop over tiles of A and B whose product it
adds up. Which thread has which result, how tiles lie in shared memory and how many are on their
way, the compiler decides. `input_precision="ieee"` keeps it from rounding to TF32 first. Programs
go through C in bands of eight rows of tiles, so that those that run together share more of A and B.
"""

import triton
import triton.language as tl

from warpbook.kernels.matmul.operands import nothing_to_add, product_of

LANGUAGE = "triton"
EXPECTED_GAIN = 1.0

BAND = 8


@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, m, n, k, a_row, a_column, b_row, b_column, c_row, c_column,
    HIGH: tl.constexpr, WIDE: tl.constexpr, DEEP: tl.constexpr, BAND: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(m, HIGH), tl.cdiv(n, WIDE)
    band, within = tl.program_id(0) // (BAND * tiles_n), tl.program_id(0) % (BAND * tiles_n)
    rows = min(tiles_m - band * BAND, BAND)
    i = (band * BAND + within % rows) * HIGH + tl.arange(0, HIGH).to(tl.int64)
    j = within // rows * WIDE + tl.arange(0, WIDE).to(tl.int64)
    p = tl.arange(0, DEEP).to(tl.int64)
    # What lies past the last row or column is read from row or column 0, and not written.
    a_at = a_ptr + (tl.where(i < m, i, 0) * a_row)[:, None] + (p * a_column)[None, :]
    b_at = b_ptr + (p * b_row)[:, None] + (tl.where(j < n, j, 0) * b_column)[None, :]
    total = tl.zeros((HIGH, WIDE), tl.float32)
    for start in range(0, k, DEEP):
        x = tl.load(a_at, mask=(start + p < k)[None, :], other=0)
        y = tl.load(b_at, mask=(start + p < k)[:, None], other=0)
        total = tl.dot(x, y, total, input_precision="ieee")
        a_at += DEEP * a_column
        b_at += DEEP * b_row
    c_at = c_ptr + (i * c_row)[:, None] + (j * c_column)[None, :]
    tl.store(c_at, total, mask=(i < m)[:, None] & (j < n)[None, :])


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    (m, k), n = a.shape, b.shape[1]
    high, wide, deep = 128, 128, 16
    grid = (triton.cdiv(m, high) * triton.cdiv(n, wide),)
    strides = (*a.stride(), *b.stride(), *c.stride())
    product[grid](
        a, b, c, m, n, k, *strides, high, wide, deep, BAND, num_warps=8, num_stages=3
    )  # fmt: skip
    return c
