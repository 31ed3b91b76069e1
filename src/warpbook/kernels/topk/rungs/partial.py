"""The best k so far, block by block

A program takes a row in blocks, sorts the best k out of each, and merges them with the best k so
far. A number and its column are one integer of 64 bits, so that they are compared and moved
together. The row is read once, and what is not among the best of its block is dropped at once; a
block without a number beyond the k-th so far is skipped. But every other block goes through a
sorting network, many comparisons for each number.
"""

import torch
import triton
import triton.language as tl

from warpbook.kernels.topk.rungs import sort

LANGUAGE = "triton"
EXPECTED_GAIN = 2.0

MOST_K = 1024  # of which a program keeps both its lists in registers
BLOCK = 512  # on an H200, 1.8 ms for 1024 x 131072; 2.6 with 1024 and 4.1 with 2048
LEAST = tl.constexpr(-(2**63))  # below every pair of a key and a column


@triton.jit(do_not_specialize=["k", "values_row", "indices_row"])
def best_of_blocks(
    x, values, indices, columns, k,
    x_row, x_step, values_row, values_step, indices_row, indices_step,
    LARGEST: tl.constexpr, K: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    best = tl.full([K], LEAST, tl.int64)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        here = column < columns
        number = tl.load(x + row * x_row + column.to(tl.int64) * x_step, mask=here).to(tl.float32)
        # Integers in the order of the numbers, NaN above all of them, over their columns.
        bits = number.to(tl.int32, bitcast=True)
        key = tl.where(number == number, bits ^ ((bits >> 31) & 0x7FFFFFFF), 0x7FFFFFFF)
        key = key if LARGEST else ~key
        block = tl.where(here, (key.to(tl.int64) << 32) | column, LEAST)
        if tl.max(block) > tl.min(best):
            # One rises where the other falls: the larger of each two are the best of both.
            better = tl.maximum(best, tl.flip(tl.topk(block, K), 0))
            best = tl.bitonic_merge(better, descending=True)
    at = tl.arange(0, K)
    key = (best >> 32).to(tl.int32)
    key = key if LARGEST else ~key
    number = (key ^ ((key >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    found = number.to(values.dtype.element_ty)
    tl.store(values + row * values_row + at * values_step, found, mask=at < k)
    column = best & 0xFFFFFFFF
    tl.store(indices + row * indices_row + at * indices_step, column, mask=at < k)


def topk(x, k, largest=True, sorted=True, out=None):
    rows, columns = x.shape
    if k > MOST_K:
        return sort.topk(x, k, largest, sorted, out)
    if out is None:
        out = x.new_empty(rows, k), x.new_empty(rows, k, dtype=torch.int64)
    if rows * k == 0:
        return out
    values, indices = out
    padded = triton.next_power_of_2(max(k, 2))
    block = max(padded, min(triton.next_power_of_2(columns), BLOCK))
    strides = (*x.stride(), *values.stride(), *indices.stride())
    best_of_blocks[(rows,)](
        x, values, indices, columns, k, *strides,
        LARGEST=largest, K=padded, BLOCK=block, num_warps=max(1, min(8, block // 128)),
    )  # fmt: skip
    return out
