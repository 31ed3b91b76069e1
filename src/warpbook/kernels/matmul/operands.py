"""What a rung of matmul is given: two matrices that go together, and where their product goes.

Knows nothing of how the product is made.
"""

import torch

FLOATS = 4  # in 16 bytes


def product_of(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
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


def nothing_to_add(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> bool:
    """Whether the product has no terms or no results; one without terms is 0."""
    if a.shape[1] == 0:
        c.zero_()
    return 0 in (*a.shape, *b.shape)


def begins_on_16_bytes(matrix: torch.Tensor) -> bool:
    """All rows, which are whole numbers of 16-byte pieces."""
    step, unit = matrix.stride()
    ragged = (matrix.data_ptr() // 4 | step | matrix.shape[1]) % FLOATS
    return unit == 1 and not ragged


def in_pieces(matrix: torch.Tensor) -> torch.Tensor:
    """The matrix, or a copy of it, that may be read row by row in 16-byte pieces; those that reach
    past the end of a row have zeros there."""
    if begins_on_16_bytes(matrix):
        return matrix
    rows, columns = matrix.shape
    room = matrix.new_zeros(rows, -(-columns // FLOATS) * FLOATS)
    return room[:, :columns].copy_(matrix)


def roomy(matrix: torch.Tensor) -> torch.Tensor:
    """Nothing yet, of the same shape, in rows that begin on 16 bytes and may be read in whole
    pieces."""
    rows, columns = matrix.shape
    return matrix.new_empty(rows, -(-columns // FLOATS) * FLOATS)[:, :columns]
