"""16 bytes a load, several on their way

A thread loads and stores 16 bytes at a time, and the loop is unrolled so that four loads leave
before the first is waited for. That is a quarter of the instructions in float32 and an eighth in
16 bits, where a load of 2 bytes a thread also kept too few bytes on their way. The numbers of a
vector are at hand together: their mean and squared distances take no division, and a triple is
corrected once a vector. Rows that are not a multiple of 16 bytes long or apart take the widest
load that divides them.
"""

import torch

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.3

VECTORS_PER_THREAD = 4
MOST_THREADS = 512


def layer_norm(x, weight, bias, eps, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    x = x if x.stride(1) == 1 else x.contiguous()
    rows, columns = x.shape
    size = x.element_size()
    addresses = x.data_ptr() | weight.data_ptr() | bias.data_ptr() | out.data_ptr()
    vector = 16 // size
    while (addresses // size | x.stride(0) | out.stride(0) | columns) % vector:
        vector //= 2
    threads = 1 << (cdiv(columns, VECTORS_PER_THREAD * vector) - 1).bit_length()
    threads = min(max(threads, 32), MOST_THREADS)
    run = kernel(__file__, "layer_norm", x.dtype, vector, threads)
    run(rows, threads, x, weight, bias, out, columns, x.stride(0), out.stride(0), eps)
    return out
