"""What a rung of matmul is given: two matrices that go together, and where their product goes.

Knows nothing of how the product is made.
"""

import torch


def product_of(a, b, out=None):
    """The matrix to write into, [m, n]: `out`, or a new one. Raises, as torch.mm does, for operands
    that do not go together."""
    if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"{tuple(a.shape)} and {tuple(b.shape)} are no matrices to multiply")
    if a.dtype != torch.float32 or b.dtype != torch.float32:
        raise TypeError(f"matmul is for two of torch.float32, not {a.dtype} and {b.dtype}")
    if a.device != b.device:
        raise ValueError(f"one matrix is on {a.device}, the other on {b.device}")
    shape = (a.shape[0], b.shape[1])
    if out is None:
        return a.new_empty(shape)
    if tuple(out.shape) != shape or out.dtype != a.dtype or out.device != a.device:
        raise ValueError(f"the product is {a.dtype} of {shape} on {a.device}; out is not")
    return out


def nothing_to_add(a, b, c):
    """Whether the product has no terms or no results; a product without terms is 0."""
    if a.shape[1] == 0:
        c.zero_()
    return 0 in (*a.shape, *b.shape)
