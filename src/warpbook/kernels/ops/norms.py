"""rms_norm and layer_norm over the last dimension, alone and after adding a residual."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import a_number_a_column, one_kind, same_shape
from warpbook.kernels.ops.devices import CONSTANTS, constant, current
from warpbook.kernels.ops.direct import CONTIGUOUS, UNFIT, goes_with, how_on_cuda, watched
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import RowKernel, room, start

KERNELS = "warpbook.kernels"
ALONE, ADDED = (True, False), (True, True)  # x and a residual; y and their sum
RMS = RowKernel("rms_norm", f"{KERNELS}.rms_norm.rungs.cluster", ALONE, 1, 1)
ADD_RMS = RowKernel("add_rms_norm", f"{KERNELS}.add_rms_norm.rungs.cluster", ADDED, 1, 1)
LAYER = RowKernel("layer_norm", f"{KERNELS}.layer_norm.rungs.cluster", ALONE, 2, 1)
ADD_LAYER = RowKernel("add_layer_norm", f"{KERNELS}.add_layer_norm.rungs.cluster", ADDED, 2, 1)


def rms_norm(
    x: Tensor, weight: Tensor | None = None, eps: float = 1e-6, *, out: Tensor | None = None
) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * weight, over the last dimension."""
    targets = None if out is None else (out,)
    results = straight(RMS, x, None, (weight, 1.0), None, eps, targets)
    if results is not None:
        return results[0]
    result: Tensor = RMS_NORM(x, weight, eps, out=out)
    return result


def layer_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """(x - mean(x)) / sqrt(variance(x) + eps) * weight + bias, over the last dimension."""
    targets = None if out is None else (out,)
    results = straight(LAYER, x, None, (weight, 1.0), (bias, 0.0), eps, targets)
    if results is not None:
        return results[0]
    result: Tensor = LAYER_NORM(x, weight, bias, eps, out=out)
    return result


def add_rms_norm(
    x: Tensor,
    residual: Tensor,
    weight: Tensor | None = None,
    eps: float = 1e-6,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """rms_norm(h, weight, eps) and h, where h = x + residual."""
    results = straight(ADD_RMS, x, residual, (weight, 1.0), None, eps, out)
    if results is not None:
        return results if out is None else out
    pair: tuple[Tensor, Tensor] = ADD_RMS_NORM(x, residual, weight, eps, out=out)
    return pair


def add_layer_norm(
    x: Tensor,
    residual: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """layer_norm(h, weight, bias, eps) and h, where h = x + residual."""
    results = straight(ADD_LAYER, x, residual, (weight, 1.0), (bias, 0.0), eps, out)
    if results is not None:
        return results if out is None else out
    pair: tuple[Tensor, Tensor] = ADD_LAYER_NORM(x, residual, weight, bias, eps, out=out)
    return pair


def straight(
    kernel: RowKernel,
    x: Tensor,
    residual: Any,
    weight: tuple[Tensor | None, float],
    bias: tuple[Tensor | None, float] | None,
    eps: float,
    out: Sequence[Tensor] | None,
) -> tuple[Tensor, Tensor] | None:
    """The results by one launch, where the kernel is known and can write where they are to be. A
    weight or bias comes with what stands for one not given; where there is no bias at all, the
    kernel takes none. Without a residual the second result is the first."""
    how = UNFIT if watched() else how_on_cuda(x)
    if not how:
        return None
    size, shape, dtype, device = x.numel(), x.shape, x.dtype, x.get_device()
    columns, place = shape[-1] if shape else 0, x.data_ptr()
    if columns < 2 or not size or device != current():  # a single number may be negated lazily
        return None
    added = beside(residual, shape, dtype, device) if kernel.slots[1] else 0
    if how == CONTIGUOUS:
        pair, step = kernel.direct.get((device, dtype, columns)), columns
    else:
        pair, step = kernel.strided(x, device, dtype, columns, place)
    if pair is None or (added and how != CONTIGUOUS):
        return None
    shared = [found(*weight, columns, dtype, device)]
    if bias is not None:
        shared.append(found(*bias, columns, dtype, device))
    if ((place if how == CONTIGUOUS else 0) | added | shared[0] | shared[-1]) & 15:
        return None
    targets = places(x, how, kernel.slots[1], out, device, (place, added), shared)
    if targets is None:
        return None
    y, h, *targets_at = targets
    rows, steps = size // columns, (step, columns, columns, columns)
    start(pair, device, rows, place, added, *shared, *targets_at, rows, columns, *steps, eps)
    return y, h


def places(
    x: Tensor,
    how: int,
    both: bool,
    out: Sequence[Tensor] | None,
    device: int,
    read: tuple[int, ...],
    shared: list[int],
) -> tuple[Tensor, Tensor, int, int] | None:
    """The results, new or given, and where they are; None where they cannot be written to
    straight."""
    if out is None:
        y = torch.empty_like(x, memory_format=torch.contiguous_format)
        h = torch.empty_like(y) if both else y
        return y, h, y.data_ptr(), h.data_ptr()
    if how != CONTIGUOUS or not isinstance(out, tuple | list) or len(out) != 1 + both:
        return None
    y, h = out[0], out[-1]
    kind = (x.shape, x.dtype, device, x.numel())
    y_place = room(y, *kind, read if both else read[:1], shared)
    if not y_place or not both:
        return (y, y, y_place, y_place) if y_place else None
    h_place = room(h, *kind, (*read, y_place), shared)
    return (y, h, y_place, h_place) if h_place not in (0, y_place) else None


def beside(residual: Any, shape: torch.Size, dtype: torch.dtype, device: int) -> int:
    """Where it is, or 1, which no kernel takes, where it is not as a kernel takes it."""
    if not goes_with(residual, dtype, device) or residual.shape != shape:
        return 1
    place: int = residual.data_ptr()
    return place


def found(
    vector: Tensor | None, otherwise: float, columns: int, dtype: torch.dtype, device: int
) -> int:
    """The same of a vector, or of what stands for it, if that is kept: only then will it stay."""
    if vector is None:
        vector = CONSTANTS.get((otherwise, columns, dtype, device))
    elif not goes_with(vector, dtype, device) or vector.shape != (columns,):
        return 1
    return 1 if vector is None else vector.data_ptr()


def given(vector: Tensor | None, otherwise: float, x: Tensor) -> Tensor:
    return constant(otherwise, x.shape[-1], x.dtype, x.get_device()) if vector is None else vector


def check(op: str, matrices: dict[str, Tensor], **vectors: Tensor | None) -> None:
    one_kind(op, **matrices, **vectors)
    same_shape(op, **matrices)
    a_number_a_column(op, "x", matrices["x"], **vectors)


def of_x(x: Tensor, *_: object) -> torch.Size:
    return x.shape


RMS_NORM = Operation(
    name="rms_norm",
    arguments="Tensor x, Tensor? weight, float eps",
    outputs=("out",),
    check=lambda x, w, eps: check("rms_norm", {"x": x}, weight=w),
    shape=of_x,
    plain=plain.rms_norm,
    fill=lambda x, w, eps, y: RMS.fill([x], [given(w, 1, x)], [y], eps),
    described=lambda x, w, eps, out: RMS.described([x], [w], out),
)
LAYER_NORM = Operation(
    name="layer_norm",
    arguments="Tensor x, Tensor? weight, Tensor? bias, float eps",
    outputs=("out",),
    check=lambda x, w, b, eps: check("layer_norm", {"x": x}, weight=w, bias=b),
    shape=of_x,
    plain=plain.layer_norm,
    fill=lambda x, w, b, eps, y: LAYER.fill([x], [given(w, 1, x), given(b, 0, x)], [y], eps),
    described=lambda x, w, b, eps, out: LAYER.described([x], [w, b], out),
)
ADD_RMS_NORM = Operation(
    name="add_rms_norm",
    arguments="Tensor x, Tensor residual, Tensor? weight, float eps",
    outputs=("y", "h"),
    check=lambda x, r, w, eps: check("add_rms_norm", {"x": x, "residual": r}, weight=w),
    shape=of_x,
    plain=plain.add_rms_norm,
    fill=lambda x, r, w, eps, y, h: ADD_RMS.fill([x, r], [given(w, 1, x)], [y, h], eps),
    described=lambda x, r, w, eps, out: ADD_RMS.described([x, r], [w], out),
)
ADD_LAYER_NORM = Operation(
    name="add_layer_norm",
    arguments="Tensor x, Tensor residual, Tensor? weight, Tensor? bias, float eps",
    outputs=("y", "h"),
    check=lambda x, r, w, b, eps: check(
        "add_layer_norm", {"x": x, "residual": r}, weight=w, bias=b
    ),
    shape=of_x,
    plain=plain.add_layer_norm,
    fill=lambda x, r, w, b, eps, y, h: ADD_LAYER.fill(
        [x, r], [given(w, 1, x), given(b, 0, x)], [y, h], eps
    ),
    described=lambda x, r, w, b, eps, out: ADD_LAYER.described([x, r], [w, b], out),
)
