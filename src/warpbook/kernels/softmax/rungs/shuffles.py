"""Reduced by warp shuffles

The 32 threads of a warp run together and can read each other's registers: five shuffles reduce a
warp without a barrier. The warps' results meet in shared memory behind a single barrier where there
were eleven. A barrier waits for the slowest warp, some tens of cycles; twenty of them are about a
microsecond of a row that takes ten, and other blocks fill part of it.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.05

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
