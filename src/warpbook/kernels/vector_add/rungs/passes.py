"""A copy, then an addition in place

Two operations, each a trip through memory of its own: the copy reads a and writes c, the addition
reads c and b and writes c again. Five vectors move where three would do.
"""

import torch

LANGUAGE = "torch"


def vector_add(a, b, out=None):
    out = torch.empty_like(a, memory_format=torch.contiguous_format) if out is None else out
    out.copy_(a)
    return out.add_(b)
