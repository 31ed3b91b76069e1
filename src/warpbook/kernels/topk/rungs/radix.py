"""Radix select against a bound

A block has a row and reads it once. The first stretch of it is cut into groups, and the k-th
largest of their maxima is a bound that at least k numbers reach: few of the rest do, and only those
are kept, as a key and a column. A key is the number's bits, turned so that they are in order as an
unsigned integer. Where many are kept, a radix select leaves the k largest: it counts keys by a
digit, finds the digit that the k-th has, and looks at the next one. Each number costs a comparison,
and the sort is of k.
"""

import torch

from warpbook.kernels.cuda import kernel
from warpbook.kernels.topk.rungs import sort

LANGUAGE = "cuda"
EXPECTED_GAIN = 4.0

MOST_K = 1024
MOST = 2**31 - 1  # rows or columns
STRETCH = 8  # vectors that a thread has on their way
FEW = 256  # rows


def threads_for(rows: int, vectors: int, k: int) -> int:
    """As few as take the row in one stretch, and more where many are to be put in order; for a long
    row 256, of which four blocks fit on a multiprocessor, and 1024 where rows are few."""
    if vectors > 256 * STRETCH and rows <= FEW:
        return 1024
    least = max(vectors // STRETCH, k // 4)
    return next((threads for threads in (32, 128) if least <= threads), 256)


def room_for(k: int, threads: int, vector: int, columns: int) -> int:
    """Numbers that are kept at most: k, and all that one vector a thread may add; or all of a row
    that is not much longer than k, for which no bound is good."""
    return max(k + threads * vector, 4 * threads, min(columns, 8 * k, 4 * MOST_K)) + 2 * vector


def topk(x, k, largest=True, sorted=True, out=None):
    rows, columns = x.shape
    if k > MOST_K or max(rows, columns) > MOST:
        return sort.topk(x, k, largest, sorted, out)
    if out is None:
        out = x.new_empty(rows, k), x.new_empty(rows, k, dtype=torch.int64)
    if rows * k == 0:
        return out
    values, indices = out
    x = x if x.stride(1) == 1 else x.contiguous()
    vector = 16 // x.itemsize
    threads = threads_for(rows, columns // vector, k)
    room = room_for(k, threads, vector, columns)
    steps = (x.stride(0), *values.stride(), *indices.stride())
    kernel(__file__, "radix", x.dtype, threads)(
        rows, threads, x, values, indices, columns, *steps, k, int(largest), room,
        shared=10 * room,
    )  # fmt: skip
    return out
