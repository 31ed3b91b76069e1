"""As many threads a row as it takes

A team of threads has a row: a few lanes of a warp where rows are short, a warp, a block, or a
cluster of blocks that add up in each other's shared memory where rows are few. So every size has
enough bytes on their way, and all multiprocessors end together. Rows that start off a multiple of
16 bytes keep their 16-byte loads: what lies before the first multiple and after the last goes
element by element; and where little else would be left, a block fetches many rows as one piece. A
team with several rows reads the vector once for all of them. At sizes that a warp a row suits, the
gain is small; with few rows it is large.
"""

from ctypes import c_void_p
from dataclasses import astuple
from functools import cache
from math import gcd
from typing import NamedTuple

import torch

from warpbook.kernels.cuda import Kernel, cdiv, driver, kernel, require
from warpbook.kernels.gemv import plans

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.2

SHORT = 384  # bytes from row to row
SHORT_THREADS = 128
ALLOW_LARGER = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
Plan = plans.Plan
plan = plans.plan


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


class Launch(NamedTuple):
    """A kernel and what to launch it with: grid, block and shared memory. It takes the matrix, the
    vector, y, rows, columns, the step from row to row, `log_apart` and the step in y."""

    kernel: Kernel
    shape: tuple[int, ...]
    log_apart: int


def prepared(
    device: int,
    dtype: torch.dtype,
    shape: tuple[int, int],
    step: int,
    starts: tuple[int, int],
    chosen: Plan | None = None,
) -> Launch:
    """For rows `step` elements from each other, and a matrix and a vector that start at these
    addresses, of which what they leave by 16 is all that matters."""
    (rows, columns), itemsize = shape, dtype.itemsize
    start, vector_start = starts
    whole = (start | vector_start | step * itemsize | columns * itemsize) % 16 == 0
    if chosen is None and not whole and max(columns, step) * itemsize <= SHORT:
        run = ready(device, "short_rows", 1, dtype, SHORT_THREADS)
        tile = (SHORT_THREADS - 1) * step + columns
        room = 16 * (cdiv(columns, 4) + cdiv(tile * itemsize, 16) + 1)
        return Launch(run, (cdiv(rows, SHORT_THREADS), 1, 1, SHORT_THREADS, 1, 1, room), 0)
    sms = multiprocessors(device)
    chosen = chosen or plan(rows, columns, itemsize, sms, whole)
    apart = 16 // gcd(step * itemsize, 16)  # rows this far apart lie alike on 16 bytes
    *numbers, waves = astuple(chosen)
    run = ready(device, "gemv", chosen.cluster, dtype, whole, *numbers)
    groups = cdiv(cdiv(rows, chosen.rows * apart) * apart, chosen.threads // chosen.team)
    if waves:
        groups = min(groups, cdiv(waves * sms, chosen.cluster))
    blocks = groups * chosen.cluster
    return Launch(run, (blocks, 1, 1, chosen.threads, 1, 1, 0), apart.bit_length() - 1)


@cache
def ready(device: int, name: str, cluster: int, *parameters: torch.dtype | int | bool) -> Kernel:
    run = kernel(__file__, name, *parameters).in_clusters(cluster).takes("q" * 8)
    if cluster > plans.PORTABLE_CLUSTER:
        require(driver().cuKernelSetAttribute(ALLOW_LARGER, 1, c_void_p(run.handle), device))
    return run


def launch(matrix, vector, out, chosen=None):
    """`matrix` has neighbouring columns side by side, and so has `vector`."""
    step, starts = matrix.stride(0), (matrix.data_ptr(), vector.data_ptr())
    made = prepared(matrix.get_device(), matrix.dtype, matrix.shape, step, starts, chosen)
    blocks, _, _, threads, _, _, shared = made.shape
    numbers = (*matrix.shape, step, made.log_apart, out.stride(0))
    made.kernel(blocks, threads, matrix, vector, out, *numbers, shared=shared)


def gemv(matrix, vector, out=None):
    out = matrix.new_empty(len(matrix)) if out is None else out
    if matrix.numel() == 0:
        return out.zero_()  # no columns; or no rows, and then nothing is written
    matrix = matrix if matrix.stride(1) == 1 else matrix.contiguous()
    launch(matrix, vector.contiguous(), out)
    return out
