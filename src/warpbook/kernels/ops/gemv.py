"""gemv: a matrix times a vector."""

from dataclasses import astuple
from math import gcd
from typing import NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.cuda import Kernel, cdiv, kernel
from warpbook.kernels.gemv.rungs import split as rung
from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import a_number_a_column, one_kind
from warpbook.kernels.ops.devices import at, current, processors, slug, usable
from warpbook.kernels.ops.direct import plain_cuda, watched
from warpbook.kernels.ops.memory import elements_of, readable, writable
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.plans import key, measured

MOST = 4096  # launches that are remembered
ENDLESS = 2**40  # rows


class Launch(NamedTuple):
    """A kernel that is ready for so many rows and columns. Rows 2^log_apart apart lie alike on 16
    bytes."""

    kernel: Kernel
    shape: tuple[int, ...]
    log_apart: int


LAUNCHES: dict[tuple[int, torch.dtype, int, int], Launch] = {}  # of contiguous tensors


def gemv(matrix: Tensor, vector: Tensor, *, out: Tensor | None = None) -> Tensor:
    """matrix @ vector: the last dimension of the matrix, whatever its leading ones, by the only one
    of the vector."""
    if out is None and plain_cuda(matrix) and plain_cuda(vector) and not watched():
        shape, dtype, device = matrix.shape, matrix.dtype, matrix.get_device()
        if len(shape) == 2:
            rows, columns = shape
            launch = LAUNCHES.get((device, dtype, rows, columns))
            first, second = matrix.data_ptr(), vector.data_ptr()
            if (
                launch is not None
                and not (first | second) & 15
                and matrix.is_contiguous()
                and vector.is_contiguous()
                and vector.dtype is dtype
                and vector.shape == (columns,)
                and vector.get_device() == device == current()
            ):
                y = torch.empty(rows, dtype=dtype, device=matrix.device)
                launch.kernel.run(
                    device, launch.shape, first, second, y.data_ptr(),
                    rows, columns, columns, launch.log_apart, 1,
                )  # fmt: skip
                return y
    result: Tensor = GEMV(matrix, vector, out=out)
    return result


def fill(matrix: Tensor, vector: Tensor, out: Tensor) -> bool:
    device = matrix.get_device()
    if not usable(device):
        return False
    if matrix.numel() == 0:
        out.zero_()
        return True
    matrix, lines = readable(matrix)
    vector, line = readable(vector)
    target, elements = writable(out, [], [lines, line], elements_of)
    between = lines.start - line.start
    launch = prepared(device, matrix.dtype, lines.rows, lines.columns, lines.step, between)
    with at(device):
        launch.kernel.run(
            device, launch.shape, lines.start, line.start, elements.start,
            lines.rows, lines.columns, lines.step, launch.log_apart, elements.step,
        )  # fmt: skip
    if target is not out:
        out.copy_(target)
    return True


def prepared(
    device: int, dtype: torch.dtype, rows: int, columns: int, step: int, between: int
) -> Launch:
    """Rows are `step` elements from each other, and the matrix starts `between` bytes after the
    vector."""
    apart = 16 // gcd(step * dtype.itemsize, 16)
    together = gcd(step * dtype.itemsize, between, 16) // dtype.itemsize
    plan = chosen(device, dtype, rows, columns)
    *numbers, waves = astuple(plan)
    with at(device):
        ready = kernel(rung.__file__, "gemv", dtype, together, *numbers).takes("q" * 8)
    groups = cdiv(cdiv(rows, plan.rows * apart) * apart, plan.threads // plan.team)
    if waves:
        groups = min(groups, cdiv(waves * processors(device), plan.cluster))
    shape = (groups * plan.cluster, 1, 1, plan.threads, 1, 1, 0)
    launch = Launch(ready, shape, apart.bit_length() - 1)
    if step == columns and together == gcd(columns, 16 // dtype.itemsize):
        if len(LAUNCHES) >= MOST:
            LAUNCHES.clear()
        LAUNCHES[device, dtype, rows, columns] = launch
    return launch


def chosen(device: int, dtype: torch.dtype, rows: int, columns: int) -> rung.Plan:
    """The rule's, unless another was measured to be better where rows are few, or where they are so
    many that more would change nothing."""
    sms = processors(device)
    plan = rung.plan(rows, columns, dtype.itemsize, sms)
    few = rows < sms
    if not few and plan != rung.plan(ENDLESS, columns, dtype.itemsize, sms):
        return plan
    fields = measured(slug(device), key("gemv", dtype, columns), few)
    return plan if fields is None else recalled(fields) or plan


def recalled(fields: dict[str, int]) -> rung.Plan | None:
    """A plan from a file, or None where it is not one that the kernel can have."""
    try:
        plan = rung.Plan(**fields)
    except TypeError:
        return None
    sizes = (plan.threads, plan.team, plan.rows, plan.unroll, plan.cluster, plan.blocks)
    whole = plan.team == plan.threads
    if min(sizes) < 1 or plan.waves < 0 or plan.threads % 32 or plan.threads > 1024:
        return None
    if plan.threads % plan.team or (plan.team > 32 and not whole):
        return None
    return None if plan.cluster > 8 or (plan.cluster > 1 and not whole) else plan


def check(matrix: Tensor, vector: Tensor) -> None:
    one_kind("gemv", matrix=matrix, vector=vector)
    a_number_a_column("gemv", "matrix", matrix, vector=vector)


GEMV = Operation(
    name="gemv",
    arguments="Tensor matrix, Tensor vector",
    outputs=("out",),
    check=check,
    shape=lambda matrix, vector: matrix.shape[:-1],
    plain=plain.gemv,
    fill=fill,
)
