"""A row held in registers

A program with enough threads keeps its whole row in registers, eight elements a thread: it reads
once and writes once, the least traffic there can be and a third less than with two passes. A second
pass already finds much of its row in a cache, so a small gain is left. Rows past 32768 columns do
not fit and take the online loop.
"""

import torch
import triton
import triton.language as tl

LANGUAGE = "triton"
EXPECTED_GAIN = 1.05

HELD = 32768
PER_THREAD = 8


@triton.jit
def row_softmax(
    x, y, columns, x_row, x_column, y_row, y_column, BLOCK: tl.constexpr, ONE_BLOCK: tl.constexpr
):
    # Offsets are 64 bits wide: a large matrix holds more than 2^31 elements.
    row = tl.program_id(0).to(tl.int64)
    x += row * x_row
    y += row * y_row
    index = tl.arange(0, BLOCK).to(tl.int64)

    if ONE_BLOCK:
        inside = index < columns
        block = tl.load(x + index * x_column, inside, float("-inf")).to(tl.float32)
        weights = tl.exp(block - tl.max(block, 0))
        factor = tl.div_rn(1.0, tl.sum(weights, 0))
        tl.store(y + index * y_column, weights * factor, inside)
    else:
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
            weights = tl.exp(block - largest)
            tl.store(y + (start + index) * y_column, weights * factor, inside)


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, columns = x.shape
    held = columns <= HELD
    block = triton.next_power_of_2(columns) if held else 8192
    warps = min(max(block // (32 * PER_THREAD), 1), 32)
    strides = (*x.stride(), *out.stride())
    row_softmax[(rows,)](x, out, columns, *strides, BLOCK=block, ONE_BLOCK=held, num_warps=warps)
    return out
