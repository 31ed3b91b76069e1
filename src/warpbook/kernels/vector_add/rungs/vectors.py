"""One kernel, 16 bytes a thread at a time

A block of 2048 elements over 128 threads leaves 16 elements to each, which the compiler turns into
loads of 16 bytes: four of them on their way per thread and vector in float32. The memory is then
always busy, and nothing but the memory is left to speed up. torch.add does the same, so the gain
over it is nil; that a page of Triton reaches it is the point.
"""

import torch
import triton
import triton.language as tl

LANGUAGE = "triton"
EXPECTED_GAIN = 1.0

BLOCK = 2048
WARPS = 4


@triton.jit
def add(a, b, c, length, a_stride, b_stride, c_stride, BLOCK: tl.constexpr):
    # 64 bits from here on: a stride can take an offset past 2^31 before the index gets there.
    # A stride of 1 is known when this is compiled, which is what makes 16-byte loads possible.
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
