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
MOST_COLUMNS = 2**31 - 1
MOST_ROWS = 2**31 - 1
STRETCH = 8  # vectors that a thread has on their way


def threads_for(rows: int, vectors: int) -> int:
    """As few as take the row in one stretch; for a long row 256, of which four fit on a
    multiprocessor, and 1024 where there are not enough rows for that."""
    if vectors > 256 * STRETCH and rows <= 256:
        return 1024
    return next((t for t in (32, 128) if vectors <= t * STRETCH), 256)


def room_for(k: int, threads: int, vector: int) -> int:
    """Numbers that are kept at most: k, and all that one vector a thread may add; a sort's power
    of two; and more, so that most rows are done without a select."""
    power = 1 << max(k - 1, 0).bit_length()
    return max(k + threads * vector, 2 * power, 4 * threads) + 2 * vector


def topk(x, k, largest=True, sorted=True, out=None):
    rows, columns = x.shape
    if k > MOST_K or columns > MOST_COLUMNS or rows > MOST_ROWS:
        return sort.topk(x, k, largest, sorted, out)
    if out is None:
        out = x.new_empty(rows, k), x.new_empty(rows, k, dtype=torch.int64)
    if rows * k == 0:
        return out
    values, indices = out
    x = x if x.stride(1) == 1 else x.contiguous()
    vector = 16 // x.itemsize
    threads = threads_for(rows, columns // vector)
    room = room_for(k, threads, vector)
    steps = (x.stride(0), *values.stride(), *indices.stride())
    kernel(__file__, "radix", x.dtype, threads)(
        rows, threads, x, values, indices, columns, *steps, k, int(largest), int(sorted), room,
        shared=8 * room,
    )  # fmt: skip
    return out
