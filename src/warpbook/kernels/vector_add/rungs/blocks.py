"""One element a thread, in Triton

The same kernel with the block as its unit: Triton hands its elements out to the threads. Nothing
else changes, and nothing should: a thread that loads 4 bytes of each vector and ends keeps too few
bytes on their way. 2048 threads an SM hold 16 KB in flight, and by Little's law an H200 needs about
twice that to cover its memory's latency.
"""

import torch
import triton
import triton.language as tl

LANGUAGE = "triton"
EXPECTED_GAIN = 1.0

BLOCK = 128
WARPS = 4


@triton.jit
def add(a, b, c, length, a_stride, b_stride, c_stride, BLOCK: tl.constexpr):
    # 64 bits from here on: a stride can take an offset past 2^31 before the index gets there.
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    total = tl.load(a + index * a_stride, inside) + tl.load(b + index * b_stride, inside)
    tl.store(c + index * c_stride, total, inside)


def vector_add(a, b, out=None):
    out = torch.empty_like(a, memory_format=torch.contiguous_format) if out is None else out
    length = a.numel()
    strides = (a.stride(0), b.stride(0), out.stride(0))
    add[(triton.cdiv(length, BLOCK),)](a, b, out, length, *strides, BLOCK=BLOCK, num_warps=WARPS)
    return out
