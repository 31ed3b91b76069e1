"""softmax over the last dimension."""

import torch
from torch import Tensor

from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import one_kind
from warpbook.kernels.ops.devices import current
from warpbook.kernels.ops.direct import contiguous_cuda, watched
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import RowKernel, start

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
)


def softmax(x: Tensor, *, out: Tensor | None = None) -> Tensor:
    """torch.softmax(x, dim=-1)."""
    if out is None and not watched() and contiguous_cuda(x):
        size, shape = x.numel(), x.shape
        if size > 1 and shape:
            device, columns, place = x.get_device(), shape[-1], x.data_ptr()
            pair = KERNEL.direct.get((device, x.dtype, columns))
            if pair is not None and not place & 15 and device == current():
                rows = size // columns
                y = torch.empty_like(x)
                start(pair, device, rows, place, y.data_ptr(), rows, columns, columns, columns)
                return y
    result: Tensor = SOFTMAX(x, out=out)
    return result
