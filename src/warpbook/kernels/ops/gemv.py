"""gemv: a matrix times a vector."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.gemv.rungs import split as rung
from warpbook.kernels.held_row import processors
from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import a_number_a_column, one_kind
from warpbook.kernels.ops.devices import at, current, slug, usable
from warpbook.kernels.ops.direct import CONTIGUOUS, goes_with, how_on_cuda, mark_written, watched
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.memory import Rows, as_read, elements_of, readable, writable
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.plans import key, measured
from warpbook.kernels.ops.rows import counted

ENDLESS = 2**40  # rows
MOST = 4096  # launches that are remembered: models have few sizes of matrices


class Launch(NamedTuple):
    """A kernel that is ready to go, for so many rows and columns."""

    go: Callable[..., None]
    blocks: int
    log_apart: int


LAUNCHES: dict[tuple[int, torch.dtype, int, int], Launch] = {}  # for contiguous tensors


def gemv(matrix: Tensor, vector: Tensor, *, out: Tensor | None = None) -> Tensor:
    """matrix @ vector: the last dimension of the matrix, whatever its leading ones, by the only one
    of the vector."""
    if not watched() and how_on_cuda(matrix) == CONTIGUOUS:
        shape, dtype, device = matrix.shape, matrix.dtype, matrix.get_device()
        if len(shape) == 2:
            rows, columns = shape
            launch = LAUNCHES.get((device, dtype, rows, columns))
            if (
                launch is not None
                and goes_with(vector, dtype, device)
                and vector.shape == (columns,)
                and device == current()
            ):
                first, second = matrix.data_ptr(), vector.data_ptr()
                y = vector.new_empty(rows) if out is None else out
                if not (first | second) & 15 and (out is None or free(y, matrix, vector)):
                    go, blocks, apart = launch
                    go(
                        device, blocks, first, second, y.data_ptr(),
                        rows, columns, columns, apart, 1,
                    )  # fmt: skip
                    return y
    result: Tensor = GEMV(matrix, vector, out=out)
    return result


def free(out: Tensor, matrix: Tensor, vector: Tensor) -> bool:
    """Whether a kernel may write straight to `out`, for a contiguous matrix and vector."""
    if not goes_with(out, matrix.dtype, matrix.get_device()) or out.shape != matrix.shape[:-1]:
        return False
    if out.is_neg():
        return False
    start, end = out.data_ptr(), out.data_ptr() + out.nbytes
    for read in (matrix, vector):
        if start < read.data_ptr() + read.nbytes and read.data_ptr() < end:
            return False
    mark_written(out)
    return True


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
    with at(device):
        go, blocks, apart = prepared(device, matrix.dtype, lines, line)
        places = (lines.start, line.start, elements.start)
        go(device, blocks, *places, lines.rows, lines.columns, lines.step, apart, elements.step)
    if target is not out:
        out.copy_(target)
    return True


def prepared(device: int, dtype: torch.dtype, matrix: Rows, vector: Rows) -> Launch:
    """Remembered where both are contiguous from 16 bytes on. Not of a vector of one element, which
    may be negated lazily."""
    contiguous = matrix.step == matrix.columns and (matrix.start | vector.start) % 16 == 0
    wanted = (device, dtype, matrix.rows, matrix.columns)
    launch = LAUNCHES.get(wanted) if contiguous else None
    if launch is not None:
        return launch
    plan = recorded(device, dtype, matrix.rows, matrix.columns) if contiguous else None
    starts = (matrix.start, vector.start)
    made = rung.prepared(device, dtype, wanted[2:], matrix.step, starts, plan)
    blocks, _, _, threads, _, _, shared = made.shape
    launch = Launch(made.kernel.ready(threads, shared), blocks, made.log_apart)
    if contiguous and matrix.columns > 1:
        if len(LAUNCHES) >= MOST:
            LAUNCHES.clear()
        LAUNCHES[wanted] = launch
    return launch


def recorded(device: int, dtype: torch.dtype, rows: int, columns: int) -> rung.Plan | None:
    """What was measured to be best where rows are few, or so many that more would change nothing.
    None leaves it to the rule."""
    if has_own_kernel(dtype, columns):
        return None
    sms = processors(device)
    few = rows < sms
    sizes = (columns, dtype.itemsize, sms)
    if not few and rung.plan(rows, *sizes) != rung.plan(ENDLESS, *sizes):
        return None
    fields = measured(slug(device), key("gemv", dtype, columns), few)
    return None if fields is None else recalled(fields)


def has_own_kernel(dtype: torch.dtype, columns: int) -> bool:
    """Short rows that start anywhere: there are no plans for them."""
    return columns * dtype.itemsize % 16 != 0 and columns * dtype.itemsize <= rung.SHORT


def recalled(fields: dict[str, int]) -> rung.Plan | None:
    """A plan from a file, or None where it is not one that the kernel can have."""
    try:
        plan = rung.Plan(**fields)
    except TypeError:
        return None
    alone = plan.team == plan.threads  # a block has one row
    sizes = (plan.threads, plan.team, plan.rows, plan.unroll, plan.cluster, plan.blocks)
    if min(sizes) < 1 or plan.waves < 0 or plan.threads % 32 or plan.threads * plan.blocks > 2048:
        return None
    if plan.threads > 1024 or plan.threads % plan.team or (plan.team > 32 and not alone):
        return None
    return None if plan.cluster > 8 or (plan.cluster > 1 and not alone) else plan


def described(matrix: Tensor, vector: Tensor, out: tuple[Tensor, ...]) -> Explanation:
    if matrix.numel() == 0:
        return NOTHING
    lines, line = as_read(matrix), as_read(vector)
    return for_rows(matrix.get_device(), matrix.dtype, lines, line)


def for_rows(device: int, dtype: torch.dtype, matrix: Rows, vector: Rows) -> Explanation:
    rows, columns = matrix.rows, matrix.columns
    size = dtype.itemsize
    starts = matrix.start | vector.start
    whole = (starts | matrix.step * size | columns * size) % 16 == 0
    matter = f"{counted(rows, 'row')} of {columns:,}"
    if not whole and max(columns, matrix.step) * size <= rung.SHORT:
        return Explanation("split", f"{matter}: a thread each, from a piece of memory a block has")
    contiguous = matrix.step == columns and starts % 16 == 0
    plan = recorded(device, dtype, rows, columns) if contiguous else None
    plan = plan or rung.plan(rows, columns, size, processors(device), whole)
    team = counted(plan.cluster * plan.team, "thread")
    together = "each" if plan.rows == 1 else f"{plan.rows} at a time"
    return Explanation("split", f"{matter}: {team} for {together}")


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
    described=described,
)
