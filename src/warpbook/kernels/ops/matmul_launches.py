"""Products that are ready to go: what is left to do for a call once its kind has been seen.

The host pays for this on every call, so all that can be is worked out before. Knows nothing of who
is best, and takes for granted that the operands are those it was made for.
"""

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from warpbook.kernels.ops import gemv
from warpbook.kernels.ops.fused_launch import Fill, fused_launch
from warpbook.kernels.ops.makers import CODES, MAKERS, activate
from warpbook.kernels.ops.matmul_choice import CUBLAS
from warpbook.kernels.ops.matrices import span
from warpbook.kernels.ops.memory import as_made, as_read


class Launch(NamedTuple):
    """`make` gives a new product of a, b and a bias; `fill` puts it where it is told to, which is
    contiguous and starts at a multiple of 16 bytes. The shapes of the product and of a bias, and
    how many bytes all of them span."""

    make: Callable[[Tensor, Tensor, Tensor | None], Tensor]
    fill: Fill
    shape: tuple[int, ...]
    bias: tuple[int, ...]
    bytes_a: int
    bytes_b: int
    bytes_bias: int
    bytes_y: int


def ready(by: str, a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None) -> Launch:
    """For operands like these: a contiguous, or of two dimensions; b of two."""
    n, rows = b.shape[1], tuple(a.shape[:-1])
    shape, size = (*rows, n), a.itemsize
    fill = None
    if by == "gemv" and bias is None and activation is None:
        fill = by_gemv(a, b)
    elif by == "specialised":
        flat = a.view(-1, a.shape[-1]) if a.dim() > 2 else a
        fill = fused_launch(flat, b, bias is not None, CODES[activation])
    fill = fill or by_maker(by, a, b, activation)
    read = (bytes_of(a), bytes_of(b), n * size, prod(shape) * size)

    def make(a: Tensor, b: Tensor, bias: Tensor | None) -> Tensor:
        y = a.new_empty(shape)
        fill(a, b, bias, y)
        return y

    if by == CUBLAS:
        return Launch(from_cublas(activation, a.dim()), fill, shape, (n,), *read)
    return Launch(make, fill, shape, (n,), *read)


def bytes_of(tensor: Tensor) -> int:
    start, end = span(tensor)
    return end - start


def by_maker(by: str, a: Tensor, b: Tensor, activation: str | None) -> Fill:
    maker, (k, n) = MAKERS[by], b.shape
    if a.dim() == 2:
        return lambda a, b, bias, y: maker(a, b, bias, activation, y)
    return lambda a, b, bias, y: maker(a.view(-1, k), b, bias, activation, y.view(-1, n))


def by_gemv(a: Tensor, b: Tensor) -> Fill:
    """A matrix by a vector: of a where b is a column, else of b, turned."""
    column = b.shape[1] == 1
    matrix = as_read(a if column else b.mT)
    vector = as_made(torch.Size((matrix.columns,)), a.itemsize)
    device, (_, rows, columns, step, _) = a.get_device(), matrix
    go, blocks, apart = gemv.prepared(device, a.dtype, matrix, vector)

    def fill(a: Tensor, b: Tensor, bias: Tensor | None, y: Tensor) -> None:
        places = (a.data_ptr(), b.data_ptr()) if column else (b.data_ptr(), a.data_ptr())
        go(device, blocks, *places, y.data_ptr(), rows, columns, step, apart, 1)

    return fill


def from_cublas(
    activation: str | None, dimensions: int
) -> Callable[[Tensor, Tensor, Tensor | None], Tensor]:
    """torch makes the tensor too, which is quicker than giving it one."""
    flat = dimensions == 2
    multiply = torch.mm if flat else torch.matmul

    def make(a: Tensor, b: Tensor, bias: Tensor | None) -> Tensor:
        if bias is None:
            y = multiply(a, b)
        else:
            y = torch.addmm(bias, a, b) if flat else F.linear(a, b.mT, bias)
        if activation is not None:
            activate(y, activation)
        return y

    return make
