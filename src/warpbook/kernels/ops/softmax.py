"""softmax over the last dimension."""

import torch
from torch import Tensor

from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import one_kind
from warpbook.kernels.ops.devices import current
from warpbook.kernels.ops.direct import CONTIGUOUS, how_on_cuda, watched
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import RowKernel, room, start

DENSE = torch.contiguous_format
KERNEL = RowKernel("softmax", "warpbook.kernels.softmax.rungs.cluster")


def check(x: Tensor) -> None:
    one_kind("softmax", x=x)


def fill(x: Tensor, y: Tensor) -> bool:
    return KERNEL.fill([x], [], [y])


SOFTMAX = Operation(
    name="softmax",
    arguments="Tensor x",
    outputs=("out",),
    check=check,
    shape=lambda x: x.shape,
    plain=plain.softmax,
    fill=fill,
    described=lambda x, out: KERNEL.described([x], [], out),
)


def softmax(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """torch.softmax(x, dim=-1)."""
    if not watched():
        how = how_on_cuda(x)
        if how:
            y = straight(x, how, out)
            if y is not None:
                return y
    result: Tensor = SOFTMAX(x, out=out)
    return result


def straight(x: Tensor, how: int, out: Tensor | None) -> Tensor | None:
    """By one launch, where the kernel is known and can write to where the result is to be."""
    size, shape, device = x.numel(), x.shape, x.get_device()
    if size < 2 or not shape or device != current():
        return None
    dtype, columns, place = x.dtype, shape[-1], x.data_ptr()
    if how == CONTIGUOUS:
        pair, step = KERNEL.direct.get((device, dtype, columns)), columns
        if pair is None or place & 15:
            return None
    else:
        pair, step = KERNEL.strided(x, device, dtype, columns, place)
        if pair is None or out is not None:
            return None
    if out is None:
        y = torch.empty_like(x) if how == CONTIGUOUS else torch.empty_like(x, memory_format=DENSE)
        target = y.data_ptr()
    else:
        y, target = out, room(out, shape, dtype, device, size, (place,))
        if not target:
            return None
    rows = size // columns
    start(pair, device, rows, place, target, rows, columns, step, columns)
    return y
