"""Where the rows of a tensor lie in memory: what a kernel is told in place of strides.

Knows nothing of operations and never looks at the data.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.held_row import ALIGNED, ALIKE, APART


class Rows(NamedTuple):
    """`rows` rows of `columns` adjacent elements, `step` elements from one to the next."""

    start: int
    rows: int
    columns: int
    step: int
    itemsize: int

    def end(self) -> int:
        return self.start + ((self.rows - 1) * self.step + self.columns) * self.itemsize

    def overlaps(self, other: "Rows") -> bool:
        """Where the steps differ, rows that lie between each other count as overlapping."""
        if self.end() <= other.start or other.end() <= self.start:
            return False
        pitch, mine = self.step * self.itemsize, self.columns * self.itemsize
        if pitch != other.step * other.itemsize or self.rows == 1 or pitch == 0:
            return True
        apart = (other.start - self.start) % pitch
        return apart < mine or apart + other.columns * other.itemsize > pitch


def step_of(tensor: Tensor) -> int | None:
    """From one row to the next; None where columns are apart or rows at no one distance."""
    *sizes, columns = tensor.shape
    *strides, column = tensor.stride()
    if column != 1 and columns > 1:
        return None
    step = expected = None
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size == 1:
            continue
        if step is None:
            step = stride
        elif stride != expected:
            return None
        expected = stride * size
    return columns if step is None else step


def rows_of(tensor: Tensor) -> Rows | None:
    """None where a kernel cannot be told in one step. A tensor without dimensions is one row."""
    step = step_of(tensor) if tensor.dim() else 1
    if step is None:
        return None
    columns = tensor.shape[-1] if tensor.dim() else 1
    rows = tensor.numel() // columns if columns else 0
    return Rows(tensor.data_ptr(), rows, columns, step, tensor.itemsize)


def elements_of(tensor: Tensor) -> Rows | None:
    """A tensor whose elements are all equally far apart, as rows of one element."""
    if tensor.is_contiguous():
        step = 1
    elif tensor.dim() == 1:
        step = tensor.stride(0)
    else:
        return None
    return Rows(tensor.data_ptr(), tensor.numel(), 1, step, tensor.itemsize)


def whole_of(tensor: Tensor) -> Rows | None:
    """A tensor without gaps, row after row."""
    return rows_of(tensor) if tensor.is_contiguous() else None


View = Callable[[Tensor], Rows | None]


def readable(tensor: Tensor, view: View = rows_of) -> tuple[Tensor, Rows]:
    """The tensor or a contiguous copy of it, and its rows."""
    rows = view(tensor)
    if rows is None:
        tensor = tensor.contiguous()
        rows = view(tensor)
        assert rows is not None
    return tensor, rows


def writable(
    tensor: Tensor, read: list[Rows], shared: list[Rows], view: View = rows_of
) -> tuple[Tensor, Rows]:
    """The tensor, or one to write in its stead where that is not safe: where its own rows overlap;
    where it overlaps with what is read, other than being the very same; where it overlaps with what
    all rows share."""
    rows = view(tensor)
    if rows is not None and (rows.rows == 1 or rows.step >= rows.columns):
        tangled = any(rows != other and rows.overlaps(other) for other in read)
        if not tangled and not any(rows.overlaps(other) for other in shared):
            return tensor, rows
    return readable(torch.empty_like(tensor, memory_format=torch.contiguous_format), view)


def as_read(tensor: Tensor) -> Rows:
    """The rows of `readable`, without making the copy."""
    rows = rows_of(tensor)
    return as_made(tensor.shape, tensor.itemsize) if rows is None else rows


def as_made(shape: torch.Size, itemsize: int) -> Rows:
    """The rows of a tensor that torch allocates."""
    columns = shape[-1] if shape else 1
    return Rows(0, shape.numel() // columns if columns else 0, columns, columns, itemsize)


def alignment(matrices: list[Rows], vectors: list[Rows]) -> int:
    """Of matrices whose rows go together, and of vectors that go with every row."""
    first = matrices[0]
    lengths = {m.step * m.itemsize % 16 for m in matrices} if first.rows > 1 else {0}
    starts = {m.start % 16 for m in matrices}
    whole = {first.columns * first.itemsize % 16} | {v.start % 16 for v in vectors}
    if starts | lengths | whole == {0}:
        return ALIGNED
    return ALIKE if len(starts) == len(lengths) == 1 else APART


def when_contiguous(columns: int, dtype: torch.dtype) -> int:
    """The alignment of contiguous tensors that start at 16 bytes, as torch's own allocations do."""
    return ALIKE if columns * dtype.itemsize % 16 else ALIGNED
