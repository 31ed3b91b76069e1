"""Triton kernels that only move bytes, or do nothing: the ways to a roof that torch's own kernels
may miss. They take whole blocks; the caller's sizes are multiples of them.
"""

import triton
import triton.language as tl


def copy_blocks(source: tl.tensor, target: tl.tensor, BLOCK: tl.constexpr) -> None:
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at))


def read_blocks(
    source: tl.tensor, totals: tl.tensor, STEPS: tl.constexpr, BLOCK: tl.constexpr
) -> None:
    """Every element goes into a total, so that no load can be left out."""
    at = tl.program_id(0) * (STEPS * BLOCK) + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in tl.static_range(STEPS):
        total += tl.load(source + at + step * BLOCK)
    tl.store(totals + tl.program_id(0), tl.sum(total))


def write_blocks(target: tl.tensor, BLOCK: tl.constexpr) -> None:
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.full((BLOCK,), 1.0, tl.float32))


def nothing() -> None:
    pass


# Called rather than written as decorators, which would leave the functions without types.
copy_kernel = triton.jit(copy_blocks)
read_kernel = triton.jit(read_blocks)
write_kernel = triton.jit(write_blocks)
empty_kernel = triton.jit(nothing)
