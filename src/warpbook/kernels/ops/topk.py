"""topk: the k largest or smallest numbers of each row, and their columns."""

import torch
from torch import Tensor

from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import one_kind
from warpbook.kernels.ops.devices import at, usable
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.memory import readable, whole_of, writable
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import counted
from warpbook.kernels.topk.rungs import sort as rung

MOST = 1024  # that the kernels keep of a row


def topk(
    x: Tensor,
    k: int,
    largest: bool = True,
    sorted: bool = True,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """torch.topk(x, k, -1, largest, sorted): values, and indices in int64, over the last dimension.
    NaN counts as larger than any number. Of equal numbers any may come first."""
    kinds(k, largest, sorted)
    pair: tuple[Tensor, Tensor] = TOPK(x, k, largest, sorted, out=out)
    return pair


def fill(x: Tensor, k: int, largest: bool, sorted: bool, values: Tensor, indices: Tensor) -> bool:
    device = x.get_device()
    if not usable(device) or k > MOST or x.dim() == 0:
        return False
    if values.numel() == 0:
        return True
    x, lines = readable(x)
    rows = x.as_strided((lines.rows, lines.columns), (lines.step, 1))
    written = (values, indices)
    targets = [writable(tensor, [], [lines], whole_of)[0] for tensor in written]
    with at(device):
        rung.topk(rows, k, largest, sorted, tuple(t.view(-1, k) for t in targets))  # type: ignore[no-untyped-call]
    for wanted, target in zip(written, targets, strict=True):
        if wanted is not target:
            wanted.copy_(target)
    return True


def described(
    x: Tensor, k: int, largest: bool, sorted: bool, out: tuple[Tensor, ...]
) -> Explanation:
    if x.dim() == 0:
        return Explanation("torch", "a tensor without dimensions has no row")
    if k > MOST:
        return Explanation("torch", f"k is {k:,}, and the kernels keep at most {MOST:,} of a row")
    rows = x.numel() // x.shape[-1] if x.numel() else 0
    if rows * k == 0:
        return NOTHING
    return Explanation("sort", f"{counted(rows, 'row')} of {x.shape[-1]:,}")


def check(x: Tensor, k: int, largest: bool, sorted: bool) -> None:
    one_kind("topk", x=x)
    kinds(k, largest, sorted)
    columns = x.shape[-1] if x.dim() else 1
    if k < 0 or k > columns:
        raise RuntimeError(
            f"topk: k is {k} and a row has {counted(columns, 'column')}; k must be from 0 to "
            f"{columns}"
        )


def kinds(k: int, largest: bool, sorted: bool) -> None:
    """The third argument of torch's own is a dimension."""
    if not isinstance(k, int | torch.SymInt) or isinstance(k, bool):
        raise TypeError(f"topk: k is of type {type(k).__name__}; it must be a whole number")
    for name, value in (("largest", largest), ("sorted", sorted)):
        if not isinstance(value, bool):
            raise TypeError(
                f"topk: {name} is {value!r}; it must be True or False. Always the last dimension "
                "is searched, so none is given"
            )


def shape(x: Tensor, k: int, largest: bool, sorted: bool) -> torch.Size:
    return torch.Size((*x.shape[:-1], k)) if x.dim() else x.shape


TOPK = Operation(
    name="topk",
    arguments="Tensor x, SymInt k, bool largest, bool sorted",
    outputs=("values", "indices"),
    check=check,
    shape=shape,
    plain=plain.topk,
    fill=fill,
    described=described,
    indices=("indices",),
)
