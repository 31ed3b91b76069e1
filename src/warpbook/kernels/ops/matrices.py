"""How matrices that are multiplied lie in memory: which of their neighbours are side by side.

Knows nothing of kernels and never looks at the data.
"""

from torch import Tensor

from warpbook.kernels.ops.memory import rows_of


def matrix(tensor: Tensor, which: str) -> Tensor:
    """The tensor as a matrix that kernels can read: of a view, or of a copy where it must be."""
    found = flat(tensor, which)
    if found is None or lies(found) is None:
        found = flat(tensor.contiguous(), which)
        assert found is not None
    return found


def placed(tensor: Tensor, which: str) -> tuple[str, bool]:
    """Which way `matrix` lies, and whether its lines start at multiples of 16 bytes."""
    found = flat(tensor, which)
    way = None if found is None else lies(found)
    if found is None or way is None:
        return "n", tensor.shape[-1] * tensor.itemsize % 16 == 0
    step = found.stride(0 if way == "n" else 1) if min(found.shape) > 1 else 0
    return way, (found.data_ptr() | step * found.itemsize) % 16 == 0


def flat(tensor: Tensor, which: str) -> Tensor | None:
    """A view of two dimensions, if there is one. A vector is a row of a, and a column of b."""
    if tensor.dim() == 2:
        return tensor
    if tensor.dim() == 1:
        return tensor.unsqueeze(0 if which == "a" else 1)
    rows = rows_of(tensor)
    if rows is None:
        return None
    return tensor.as_strided((rows.rows, rows.columns), (rows.step, 1))


def lies(matrix: Tensor) -> str | None:
    """n: the neighbours in a row are side by side; t: those in a column are. None: neither, or some
    elements share their memory."""
    (rows, columns), (down, right) = matrix.shape, matrix.stride()
    if min(rows, columns) == 1:
        return "n" if matrix.numel() == 1 or (right if rows == 1 else down) == 1 else None
    if right == 1 and down >= columns:
        return "n"
    return "t" if down == 1 and right >= rows else None


def writable(out: Tensor, read: tuple[Tensor, ...]) -> bool:
    """Whether a kernel may write it row after row: nothing that it reads later is there."""
    if not out.is_contiguous() or out.is_neg():
        return False
    start, end = span(out)
    return all(end <= first or last <= start for first, last in map(span, read))


def span(tensor: Tensor) -> tuple[int, int]:
    """The first byte of it and the one after the last."""
    far = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    start = tensor.data_ptr()
    return start, start + (far + 1) * tensor.itemsize
