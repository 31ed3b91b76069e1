"""One element a thread, in CUDA C++

The plainest kernel there is: each thread finds its element, loads 4 bytes of each vector and
writes 4. One kernel moves three vectors where the two passes below moved five, which would be 1.67
times as fast; threads that carry so few bytes will miss some of that.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.5

THREADS = 256


def vector_add(a, b, out=None):
    out = torch.empty_like(a, memory_format=torch.contiguous_format) if out is None else out
    steps = (a.stride(0), b.stride(0), out.stride(0))
    add = kernel(__file__, "add", a.dtype)
    add(cdiv(a.numel(), THREADS), THREADS, a, b, out, a.numel(), *steps)
    return out
