"""32 elements a thread, several short rows a program

The fewer threads share a row, the more loads of 16 bytes each has on its way, and the fewer must
meet to add up: up to 1024 columns a single warp holds the row and no barrier is left. Short rows
are taken several at a time, so that a warp always has 1024 elements to load. On 8192 columns memory
was the limit already and nothing changes; rows of 1024 and less are where it pays.
"""

import torch
import triton
import triton.language as tl

LANGUAGE = "triton"
EXPECTED_GAIN = 1.0

HELD = 32768
WARP_HOLDS = 1024
LONG_BLOCK = 8192


@triton.jit
def held_rows(
    x, y, rows, columns, x_row, x_column, y_row, y_column, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    # Offsets are 64 bits wide: a large matrix holds more than 2^31 elements.
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK).to(tl.int64)[None, :]
    inside = (row < rows) & (column < columns)
    tile = tl.load(x + row * x_row + column * x_column, inside, float("-inf")).to(tl.float32)
    weights = tl.exp(tile - tl.max(tile, 1, keep_dims=True))
    factor = tl.div_rn(1.0, tl.sum(weights, 1, keep_dims=True))
    tl.store(y + row * y_row + column * y_column, weights * factor, inside)


@triton.jit
def long_row(x, y, columns, x_row, x_column, y_row, y_column, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * x_row
    y += row * y_row
    index = tl.arange(0, BLOCK).to(tl.int64)
    largest = tl.full([], float("-inf"), tl.float32)
    total = tl.zeros([], tl.float32)
    for start in range(0, columns, BLOCK):
        here = x + (start + index) * x_column
        block = tl.load(here, start + index < columns, float("-inf")).to(tl.float32)
        grown = tl.maximum(largest, tl.max(block, 0))
        # A row may begin with -inf, and -inf - -inf is NaN.
        shift = tl.where(grown == float("-inf"), 0.0, grown)
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(block - shift), 0)
        largest = grown
    factor = tl.div_rn(1.0, total)
    for start in range(0, columns, BLOCK):
        inside = start + index < columns
        block = tl.load(x + (start + index) * x_column, inside).to(tl.float32)
        tl.store(y + (start + index) * y_column, tl.exp(block - largest) * factor, inside)


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, columns = x.shape
    strides = (*x.stride(), *out.stride())
    if columns > HELD:
        long_row[(rows,)](x, out, columns, *strides, BLOCK=LONG_BLOCK, num_warps=8)
        return out
    block = triton.next_power_of_2(columns)
    tall = max(WARP_HOLDS // block, 1)
    warps = max(block // WARP_HOLDS, 1)
    grid = (triton.cdiv(rows, tall),)
    held_rows[grid](x, out, rows, columns, *strides, ROWS=tall, BLOCK=block, num_warps=warps)
    return out
