"""One block a row, reduced in shared memory

The same three passes in CUDA C++, where nothing is done for us: threads agree through shared
memory, half of them combining two slots each, then half of those, with a barrier after every step.
What pays is how few rows are at work: with 512 threads to a row an SM has four rows at a time, and
four rows of 32 KB stay in its L1, where sixteen outgrew even the L2. Memory then sees one reading
and the write, half of what it saw before; the barriers, eleven to a reduction, take some of that
back.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.3

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
