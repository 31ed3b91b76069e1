"""The row held in registers

A thread keeps the 32 numbers that it has read until the sum is known: one reading, one
writing, the least there can be, and no loop. All its loads leave at once, and an SM has room for
1024 such threads, 128 KB on their way in float32. Columns beyond the 32768th are read again.
A kernel that reads all of it twice, once from the L2, moves half as much again through the L2; the
compiler's kernel below holds rows of a few thousand columns too, and leaves little to gain there.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.02

ELEMENTS = 32
MOST_THREADS = 1024


def rms_norm(x, weight, eps, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    size = x.element_size()
    addresses = (x.data_ptr() | weight.data_ptr() | out.data_ptr()) // size
    vector = 16 // size
    while (addresses | x.stride(0) | out.stride(0) | columns) % vector:
        vector //= 2
    threads = 1 << (cdiv(columns, ELEMENTS) - 1).bit_length()
    threads = min(max(threads, 32), MOST_THREADS)
    run = kernel(__file__, "rms_norm", x.dtype, vector, ELEMENTS // vector, threads)
    run(rows, threads, x, weight, out, columns, x.stride(0), out.stride(0), eps)
    return out
