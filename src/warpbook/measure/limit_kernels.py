"""Bare movements of a workload's bytes, each in a few shapes: `copy_4` copies with four vectors of
16 bytes on their way in each thread. The fastest of a kind is the limit of a problem that moves the
same bytes.

Loaded in a child as a rung is. On a CPU each is a plain call of torch, in one shape.
"""

from functools import partial
from itertools import chain

import torch

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.measure.window import BITS

THREADS = 256
MOST_READ, MOST_WRITTEN = 4, 2  # parameters of the kernel `stream`


def copy(vectors: int, x: torch.Tensor, *_: object, out: torch.Tensor) -> None:
    """The first argument becomes the output."""
    alike(x, out)
    if not x.is_cuda:
        out.copy_(x)
        return
    kernel(__file__, "copy", vectors)(blocks(x, vectors), THREADS, x, out, x.nbytes)


def join(vectors: int, a: torch.Tensor, b: torch.Tensor, *_: object, out: torch.Tensor) -> None:
    """Two arguments become one output: the exclusive or of their bits."""
    alike(a, b, out)
    if not a.is_cuda:
        bits = BITS[a.element_size()]
        torch.bitwise_xor(a.view(bits), b.view(bits), out=out.view(bits))
        return
    kernel(__file__, "join", vectors)(blocks(a, vectors), THREADS, a, b, out, a.nbytes)


def pair(
    vectors: int,
    a: torch.Tensor,
    b: torch.Tensor,
    *_: object,
    out: tuple[torch.Tensor, torch.Tensor],
) -> None:
    """Two arguments become two outputs."""
    alike(a, b, *out)
    if not a.is_cuda:
        out[0].copy_(a)
        out[1].copy_(b)
        return
    kernel(__file__, "pair", vectors)(blocks(a, vectors), THREADS, a, b, *out, a.nbytes)


def read(vectors: int, matrix: torch.Tensor, *_: object, out: torch.Tensor) -> None:
    """A matrix is read, and one number for each row is written."""
    alike(matrix)
    if not matrix.is_cuda:
        torch.sum(matrix, dim=-1, out=out)
        return
    grid, shorts = blocks(matrix, vectors), out.nbytes // 2
    if shorts > grid * THREADS or not out.is_contiguous():
        raise ValueError("the output is too large beside the matrix for a mere reading of it")
    kernel(__file__, "read", vectors)(grid, THREADS, matrix, out, matrix.nbytes, shorts)


def stream(vectors: int, *arguments: object, out: torch.Tensor | tuple[torch.Tensor, ...]) -> None:
    """All tensors among the arguments are read, and all outputs are filled with zeros, whatever
    their shapes and dtypes."""
    given = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    outputs = list(out) if isinstance(out, tuple) else [out]
    if len(given) > MOST_READ or len(outputs) > MOST_WRITTEN:
        raise ValueError(f"{len(given)} tensors to read and {len(outputs)} to write are too many")
    flat = [in_memory_order(tensor) for tensor in (*given, *outputs)]
    if not outputs[0].is_cuda:
        for tensor in flat[: len(given)]:
            tensor.sum()
        for tensor in flat[len(given) :]:
            tensor.zero_()
        return
    none = [(0, 0)]
    ranges = [(tensor, tensor.nbytes) for tensor in flat]
    read = (ranges[: len(given)] + none * MOST_READ)[:MOST_READ]
    written = (ranges[len(given) :] + none * MOST_WRITTEN)[:MOST_WRITTEN]
    grid = max(1, sum(cdiv(tensor.nbytes, 16 * THREADS * vectors) for tensor in flat))
    kernel(__file__, "stream", vectors)(grid, THREADS, *chain(*read, *written))


def in_memory_order(tensor: torch.Tensor) -> torch.Tensor:
    """All elements of a tensor, transposed or not, as they lie there side by side."""
    step = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and stride != step:
            raise ValueError("only tensors whose elements fill their memory are merely moved")
        step *= size
    if tensor.data_ptr() % 16:
        raise ValueError("only tensors at multiples of 16 bytes are merely moved")
    return tensor.as_strided((tensor.numel(),), (1,))


def alike(*tensors: torch.Tensor) -> None:
    first = tensors[0]
    for tensor in tensors:
        if not tensor.is_contiguous() or tensor.data_ptr() % 16:
            raise ValueError("only contiguous tensors at multiples of 16 bytes are merely moved")
        if (tensor.shape, tensor.dtype) != (first.shape, first.dtype):
            raise ValueError(
                f"arguments and outputs differ: {tuple(first.shape)} {first.dtype} and "
                f"{tuple(tensor.shape)} {tensor.dtype}"
            )


def blocks(tensor: torch.Tensor, vectors: int) -> int:
    return max(1, cdiv(tensor.nbytes, 16 * THREADS * vectors))


copy_1 = partial(copy, 1)
copy_2 = partial(copy, 2)
copy_4 = partial(copy, 4)
copy_8 = partial(copy, 8)
join_1 = partial(join, 1)
join_2 = partial(join, 2)
join_4 = partial(join, 4)
pair_1 = partial(pair, 1)
pair_2 = partial(pair, 2)
pair_4 = partial(pair, 4)
read_1 = partial(read, 1)
read_2 = partial(read, 2)
read_4 = partial(read, 4)
read_8 = partial(read, 8)
stream_1 = partial(stream, 1)
stream_2 = partial(stream, 2)
stream_4 = partial(stream, 4)
stream_8 = partial(stream, 8)
