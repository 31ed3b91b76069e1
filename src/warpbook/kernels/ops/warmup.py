"""Getting kernels ready before they are needed, and tuning them.

No call of an operation ever tunes; this does, when asked to.
"""

from dataclasses import asdict

import torch

from warpbook.kernels.gemv.rungs import split
from warpbook.kernels.held_row import processors
from warpbook.kernels.ops import gemv, makers, norms, plans, softmax, topk, vector_add
from warpbook.kernels.ops.demands import FLOATS
from warpbook.kernels.ops.devices import at, constant, slug, usable
from warpbook.kernels.ops.memory import Rows, when_contiguous
from warpbook.kernels.ops.plans import Entry, Fields, key
from warpbook.kernels.ops.rows import RowKernel

ROWWISE = {
    kernel.name: kernel
    for kernel in (softmax.KERNEL, norms.RMS, norms.LAYER, norms.ADD_RMS, norms.ADD_LAYER)
}
NAMES = ("vector_add", "gemv", "matmul", "topk", *ROWWISE)
ANY_WIDTH = ("vector_add", "matmul")  # their kernels do not hang on it
# Numbers of rows, up to 2^23, at which gemv's rule has all the plans it has for a width.
ROWS = sorted({eighths << power >> 3 for power in range(23) for eighths in range(8, 16)})


def warmup(
    op: str,
    *,
    columns: int | None = None,
    dtype: torch.dtype = torch.float32,
    tune: bool = False,
    device: int | None = None,
) -> Entry | None:
    """Compile what contiguous tensors of so many columns need, so that no call has to. With `tune`,
    measure plans on this GPU first, and keep the quickest on the disk for this process and those to
    come. Returns the plans for few rows and for many; None for vector_add, matmul and topk, which
    have nothing to tune, and where torch does the work: without a GPU, with one too old, and for
    rows that no kernel holds.
    """
    check(op, columns, dtype)
    if device is None and torch.cuda.is_available():
        device = torch.cuda.current_device()
    if device is None or not usable(device):
        if tune:
            raise RuntimeError(
                "warmup: tuning needs an NVIDIA GPU, of compute capability 9.x or 10.x"
            )
        return None
    with at(device):
        if op == "vector_add":
            vector_add.prepared(device, dtype, whole=True)
            return None
        if op == "matmul":
            makers.warm(device, dtype)
            return None
        assert columns is not None
        if op == "topk":
            topk.warm(device, dtype, columns)
            return None
        if tune:
            tuned(op, device, dtype, columns)
        if op == "gemv":
            return ready_gemv(device, dtype, columns)
        return ready_rows(ROWWISE[op], device, dtype, columns)


def check(op: str, columns: int | None, dtype: torch.dtype) -> None:
    if op not in NAMES:
        raise ValueError(f"warmup: no operation {op!r}; there are {', '.join(sorted(NAMES))}")
    if dtype not in FLOATS:
        raise TypeError(f"warmup: dtype is {dtype!r}; float32, float16 and bfloat16 are supported")
    if op not in ANY_WIDTH and (not isinstance(columns, int) or columns < 1):
        raise ValueError(f"warmup: {op} needs columns=, a number from 1 up, and got {columns!r}")


def tuned(op: str, device: int, dtype: torch.dtype, columns: int) -> None:
    from warpbook.kernels.ops.tuning import tune_gemv, tune_rows

    found: dict[str, Fields | None] = {
        name: tune_gemv(device, dtype, columns, few)
        if op == "gemv"
        else tune_rows(ROWWISE[op], device, dtype, columns, few)
        for name, few in (("few", True), ("many", False))
    }
    entry = {name: fields for name, fields in found.items() if fields is not None}
    if len(entry) == len(found):
        plans.keep(slug(device), key(op, dtype, columns), entry)
    if op == "gemv":
        gemv.LAUNCHES.clear()
    else:
        ROWWISE[op].forget()


def ready_rows(kernel: RowKernel, device: int, dtype: torch.dtype, columns: int) -> Entry | None:
    for value in (1.0, 0.0)[: kernel.vectors]:
        constant(value, columns, dtype, device)
    aligned = when_contiguous(columns, dtype)
    if kernel.pair(device, dtype, columns, aligned) is None:
        return None
    few, many = (kernel.plan(device, dtype, columns, aligned, few) for few in (True, False))
    return {"few": asdict(few), "many": asdict(many)}


def ready_gemv(device: int, dtype: torch.dtype, columns: int) -> Entry:
    """For any number of rows: the rule has a few plans for a width."""
    vector = Rows(0, 1, columns, columns, dtype.itemsize)
    for rows in ROWS:
        gemv.prepared(device, dtype, vector._replace(rows=rows), vector)
    sms = processors(device)
    few, many = (
        gemv.recorded(device, dtype, rows, columns)
        or split.plan(rows, columns, dtype.itemsize, sms)
        for rows in (sms // 2, gemv.ENDLESS)
    )
    return {"few": asdict(few), "many": asdict(many)}
