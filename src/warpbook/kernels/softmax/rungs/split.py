"""Long rows split over several programs

With one program a row, a row of 131072 columns is one long loop on one SM, and how well the device
is filled depends on how many rows there are. Cut such a row into parts of 8192 columns: each part's
largest and sum are found by a program of its own, then each part is written by one that combines
them. The second kernel goes backward, to find in the L2 what the first read last. Rows that fit are
held as before, over more threads when there are too few rows to fill the device. Nothing is
expected on 8192 x 8192, which fits; long rows and few rows are what it is for.
"""

import torch
import triton
import triton.language as tl

LANGUAGE = "triton"
EXPECTED_GAIN = 1.0

HELD = 32768
PART = 8192
# Fewer rows than this leave SMs of an H200 (132) without a second program to hide latency behind.
FEW_ROWS = 264


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
def sum_part(x, largest, total, columns, parts, x_row, x_column, PART: tl.constexpr):
    program = tl.program_id(0)
    row = (program // parts).to(tl.int64)
    index = (program % parts).to(tl.int64) * PART + tl.arange(0, PART)
    here = x + row * x_row + index * x_column
    block = tl.load(here, index < columns, float("-inf")).to(tl.float32)
    part_largest = tl.max(block, 0)
    # A part may be all -inf in a row that is not, and -inf - -inf is NaN.
    shift = tl.where(part_largest == float("-inf"), 0.0, part_largest)
    tl.store(largest + program, part_largest)
    tl.store(total + program, tl.sum(tl.exp(block - shift), 0))


@triton.jit
def write_part(
    x, y, largest, total, columns, parts, x_row, x_column, y_row, y_column,
    PARTS: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    program = tl.num_programs(0) - 1 - tl.program_id(0)
    row = (program // parts).to(tl.int64)
    part = tl.arange(0, PARTS)
    part_largest = tl.load(largest + row * parts + part, part < parts, float("-inf"))
    part_total = tl.load(total + row * parts + part, part < parts, 0.0)
    row_largest = tl.max(part_largest, 0)
    factor = tl.div_rn(1.0, tl.sum(part_total * tl.exp(part_largest - row_largest), 0))
    index = (program % parts).to(tl.int64) * PART + tl.arange(0, PART)
    inside = index < columns
    block = tl.load(x + row * x_row + index * x_column, inside).to(tl.float32)
    weights = tl.exp(block - row_largest)
    tl.store(y + row * y_row + index * y_column, weights * factor, inside)


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, columns = x.shape
    if columns > HELD:
        return softmax_in_parts(x, out)
    block = triton.next_power_of_2(columns)
    tall = max(1024 // block, 1)
    warp_holds = 1024 if rows > FEW_ROWS else 256
    warps = min(max(block * tall // warp_holds, 1), 32)
    grid = (triton.cdiv(rows, tall),)
    strides = (*x.stride(), *out.stride())
    held_rows[grid](x, out, rows, columns, *strides, ROWS=tall, BLOCK=block, num_warps=warps)
    return out


def softmax_in_parts(x, out):
    rows, columns = x.shape
    parts = triton.cdiv(columns, PART)
    largest, total = torch.empty(2, rows * parts, dtype=torch.float32, device=x.device)
    x_sizes = (columns, parts, *x.stride())
    sum_part[(rows * parts,)](x, largest, total, *x_sizes, PART=PART, num_warps=8)
    write_part[(rows * parts,)](
        x, out, largest, total, *x_sizes, *out.stride(),
        PARTS=triton.next_power_of_2(parts), PART=PART, num_warps=8,
    )  # fmt: skip
    return out
