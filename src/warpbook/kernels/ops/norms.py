"""rms_norm and layer_norm over the last dimension, alone and after adding a residual."""

import torch
from torch import Tensor

from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import a_number_a_column, one_kind, same_shape
from warpbook.kernels.ops.devices import constant, current
from warpbook.kernels.ops.direct import contiguous_cuda, goes_with, watched
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import RowKernel, start

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
    if out is None:
        results = straight(RMS, x, None, (weight, 1.0), None, eps)
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
    if out is None:
        results = straight(LAYER, x, None, (weight, 1.0), (bias, 0.0), eps)
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
    if out is None:
        results = straight(ADD_RMS, x, residual, (weight, 1.0), None, eps)
        if results is not None:
            return results
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
    if out is None:
        results = straight(ADD_LAYER, x, residual, (weight, 1.0), (bias, 0.0), eps)
        if results is not None:
            return results
    pair: tuple[Tensor, Tensor] = ADD_LAYER_NORM(x, residual, weight, bias, eps, out=out)
    return pair


def straight(
    kernel: RowKernel,
    x: Tensor,
    residual: Tensor | None,
    weight: tuple[Tensor | None, float],
    bias: tuple[Tensor | None, float] | None,
    eps: float,
) -> tuple[Tensor, Tensor] | None:
    """The results by one launch, where all is contiguous and the kernel is known; or None. A weight
    or bias comes with the value that stands for one not given; with no bias at all the kernel takes
    none. Without a residual the second result is the first."""
    if watched() or not contiguous_cuda(x):
        return None
    size, shape, dtype, device = x.numel(), x.shape, x.dtype, x.get_device()
    columns = shape[-1] if shape else 0
    pair = kernel.direct.get((device, dtype, columns))
    if pair is None or size < 2 or device != current():
        return None
    place = x.data_ptr()
    shared = [found(*weight, columns, dtype, device)]
    if bias is not None:
        shared.append(found(*bias, columns, dtype, device))
    added, step, places = 0, 0, place
    if residual is not None:
        if not goes_with(residual, dtype, device) or residual.shape != shape:
            return None
        added, step = residual.data_ptr(), columns
        places |= added
    for address in shared:
        places |= address
    if places & 15:
        return None
    y = torch.empty_like(x)
    h = torch.empty_like(x) if residual is not None else y
    rows = size // columns
    start(
        pair, device, rows, place, added, *shared, y.data_ptr(), h.data_ptr(),
        rows, columns, columns, step, columns, columns, eps,
    )  # fmt: skip
    return y, h


def found(
    vector: Tensor | None, otherwise: float, columns: int, dtype: torch.dtype, device: int
) -> int:
    """Where it is, or 1, which no kernel takes, where it is not as a kernel takes it."""
    if vector is None:
        return constant(otherwise, columns, dtype, device).data_ptr()
    if not goes_with(vector, dtype, device) or vector.shape != (columns,):
        return 1
    return vector.data_ptr()


def given(vector: Tensor | None, otherwise: float, x: Tensor) -> Tensor:
    return constant(otherwise, x.shape[-1], x.dtype, x.get_device()) if vector is None else vector


def check(op: str, x: Tensor, residual: Tensor | None, **vectors: Tensor | None) -> None:
    one_kind(op, x=x, residual=residual, **vectors)
    if residual is not None:
        same_shape(op, x=x, residual=residual)
    a_number_a_column(op, "x", x, **vectors)


def of_x(x: Tensor, *_: object) -> torch.Size:
    return x.shape


RMS_NORM = Operation(
    name="rms_norm",
    arguments="Tensor x, Tensor? weight, float eps",
    outputs=("out",),
    check=lambda x, w, eps: check("rms_norm", x, None, weight=w),
    shape=of_x,
    plain=plain.rms_norm,
    fill=lambda x, w, eps, y: RMS.fill([x], [given(w, 1, x)], [y], eps),
)
LAYER_NORM = Operation(
    name="layer_norm",
    arguments="Tensor x, Tensor? weight, Tensor? bias, float eps",
    outputs=("out",),
    check=lambda x, w, b, eps: check("layer_norm", x, None, weight=w, bias=b),
    shape=of_x,
    plain=plain.layer_norm,
    fill=lambda x, w, b, eps, y: LAYER.fill([x], [given(w, 1, x), given(b, 0, x)], [y], eps),
)
ADD_RMS_NORM = Operation(
    name="add_rms_norm",
    arguments="Tensor x, Tensor residual, Tensor? weight, float eps",
    outputs=("y", "h"),
    check=lambda x, r, w, eps: check("add_rms_norm", x, r, weight=w),
    shape=of_x,
    plain=plain.add_rms_norm,
    fill=lambda x, r, w, eps, y, h: ADD_RMS.fill([x, r], [given(w, 1, x)], [y, h], eps),
)
ADD_LAYER_NORM = Operation(
    name="add_layer_norm",
    arguments="Tensor x, Tensor residual, Tensor? weight, Tensor? bias, float eps",
    outputs=("y", "h"),
    check=lambda x, r, w, b, eps: check("add_layer_norm", x, r, weight=w, bias=b),
    shape=of_x,
    plain=plain.add_layer_norm,
    fill=lambda x, r, w, b, eps, y, h: ADD_LAYER.fill(
        [x, r], [given(w, 1, x), given(b, 0, x)], [y, h], eps
    ),
)
