"""The largest and the sum as a pair

Each thread keeps the largest of its numbers and their sum relative to it, and mends the sum when
the largest grows. Two such pairs merge into one, so shuffles reduce pairs as they reduced numbers:
one pass, one reduction and one barrier where there were two of each. A third of the reading is
gone and half of the waiting. Where the row stays in the L1 that reading was cheap; a row of 131072
columns does not stay, and gains the most.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.15

PER_THREAD = 16
MOST_THREADS = 512


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    threads = 1 << (cdiv(columns, PER_THREAD) - 1).bit_length()
    threads = min(max(threads, 32), MOST_THREADS)
    run = kernel(__file__, "softmax", x.dtype, threads)
    run(rows, threads, x, out, columns, x.stride(0), out.stride(0))
    return out
