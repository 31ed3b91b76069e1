"""One block a row, added up in shared memory

The first kernel of our own: a block takes a row, adds up its squares, and goes over it again to
write. Threads add up through shared memory, where each halving of what is left ends in a barrier.
The second reading asks for what the first has just brought, and the L2 has it. That is as much
traffic as torch's kernel makes, and nothing is gained but a kernel that one can read.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.0

PER_THREAD = 16
MOST_THREADS = 512


def rms_norm(x, weight, eps, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    threads = 1 << (cdiv(columns, PER_THREAD) - 1).bit_length()
    threads = min(max(threads, 32), MOST_THREADS)
    run = kernel(__file__, "rms_norm", x.dtype, threads)
    run(rows, threads, x, weight, out, columns, x.stride(0), out.stride(0), eps)
    return out
