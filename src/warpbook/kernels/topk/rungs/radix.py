"""Radix select against a bound

A block has a row and reads it once. The first stretch of it is cut into groups, and the k-th
largest of their maxima is a bound that at least k numbers reach: few of the rest do, and only those
are kept, as a key and a column. A key is the number's bits, turned so that they are in order as an
unsigned integer. Where many are kept, a radix select leaves the k largest: it counts keys by a
digit, finds the digit that the k-th has, and looks at the next one. Each number costs a comparison,
and the sort is of k.
"""

from functools import cache
from typing import NamedTuple

import torch

from warpbook.kernels.cuda import Kernel, kernel
from warpbook.kernels.topk.rungs import sort

LANGUAGE = "cuda"
EXPECTED_GAIN = 10.0

MOST_K = 1024
MOST = 2**31 - 1  # rows or columns
STRETCH = 8  # vectors that a thread has on their way
FEW = 132  # rows, one for each multiprocessor


def threads_for(rows: int, vectors: int, k: int) -> int:
    """As few as take a row in one stretch. For longer ones, 128 where there are rows for all blocks
    of a multiprocessor, which take turns at waiting; 256 where there are not, or where many numbers
    are to be put in order; and 1024 where a multiprocessor has one row at most."""
    if vectors > 256 * STRETCH and rows <= FEW:
        return 1024
    if vectors <= 32 * STRETCH and k <= 128:
        return 32
    fits = vectors <= 128 * STRETCH and k <= 512
    return 128 if fits or (rows > 4 * FEW and k <= 128) else 256


def room_for(k: int, threads: int, vector: int, columns: int) -> int:
    """Numbers that are kept at most: k, and all that one vector a thread may add; or all of a row
    that is not much longer than k, for which no bound is good."""
    return max(k + threads * vector, 4 * threads, min(columns, 8 * k, 4 * MOST_K)) + 2 * vector


class Block(NamedTuple):
    """What a block has: threads, room for numbers, and shared memory in bytes for that room."""

    threads: int
    room: int
    shared: int


def block_for(rows: int, columns: int, k: int, itemsize: int) -> Block:
    vector = 16 // itemsize
    threads = threads_for(rows, columns // vector, k)
    room = room_for(k, threads, vector, columns)
    return Block(threads, room, 10 * room)


@cache
def ready(dtype: torch.dtype, threads: int) -> Kernel:
    return kernel(__file__, "radix", dtype, threads).takes("q" * 12)


def launch(x, k, largest, values, indices):
    """`x` has neighbouring columns side by side."""
    rows, columns = x.shape
    block = block_for(rows, columns, k, x.itemsize)
    steps = (x.stride(0), *values.stride(), *indices.stride())
    numbers = (columns, *steps, k, int(largest), block.room)
    run = ready(x.dtype, block.threads)
    run(rows, block.threads, x, values, indices, *numbers, shared=block.shared)


def topk(x, k, largest=True, sorted=True, out=None):
    rows, columns = x.shape
    if k > MOST_K or max(rows, columns) > MOST:
        return sort.topk(x, k, largest, sorted, out)
    if out is None:
        out = x.new_empty(rows, k), x.new_empty(rows, k, dtype=torch.int64)
    if rows and k:
        launch(x if x.stride(1) == 1 else x.contiguous(), k, largest, *out)
    return out
