"""16 bytes a load, four of them on their way

A thread loads and stores 16 bytes at a time, and lets four loads leave before it waits for the
first. An SM then has about 100 KB on their way, three times what it takes to keep an H200's memory
busy, with a quarter of the instructions in float32 and an eighth in 16 bits. Next to a compiler
that does the same, the gain is in fewer rows at work, whose second reading stays in the L1. Rows
that start or end off a multiple of 16 bytes go one element at a time.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.1

BATCH = 4
MOST_THREADS = 512


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    vector = 16 // x.element_size()
    if (x.data_ptr() | out.data_ptr()) % 16 or (x.stride(0) | out.stride(0) | columns) % vector:
        vector = 1
    threads = 1 << (cdiv(columns, BATCH * vector) - 1).bit_length()
    threads = min(max(threads, 32), MOST_THREADS)
    run = kernel(__file__, "softmax", x.dtype, vector, BATCH, threads)
    run(rows, threads, x, out, columns, x.stride(0), out.stride(0))
    return out
