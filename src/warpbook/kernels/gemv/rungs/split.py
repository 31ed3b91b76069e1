"""As many threads a row as it takes

A team of threads has a row: a few lanes of a warp where rows are short, a warp, a block, or a
cluster of blocks that add up in each other's shared memory where rows are few. So every size has
enough bytes on their way, and all multiprocessors end together. Rows that start off a multiple of
16 bytes keep their 16-byte loads: what lies before the first multiple and after the last goes
element by element; and where little else would be left, a block fetches many rows as one piece. A
team with several rows reads the vector once for all of them. At sizes that a
warp a row suits, the gain is small; with few rows it is large.
"""

from ctypes import c_void_p
from dataclasses import astuple, dataclass
from functools import cache
from math import gcd

import torch

from warpbook.kernels.cuda import Kernel, cdiv, driver, kernel, require

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.2

PORTABLE_CLUSTER = 8
SHORT = 256  # bytes from row to row
SHORT_THREADS = 128
ALLOW_LARGER = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED


@dataclass(frozen=True)
class Plan:
    """`team` threads of each of `cluster` blocks share `rows` rows, and have `unroll` loads of each
    on their way. `blocks` of `threads` fit on a multiprocessor. `waves` is 0 for a block for
    every team, or how many blocks a multiprocessor is given, which then take turns."""

    threads: int
    team: int
    rows: int
    unroll: int
    cluster: int
    blocks: int
    waves: int = 0


def power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


@cache
def plan(rows: int, columns: int, itemsize: int, sms: int) -> Plan:
    """By how many loads of 16 bytes there are in a row, and for each thread of a full device."""
    loads = max(columns * itemsize // 16, 1)
    share = cdiv(rows * loads, sms * 1024)
    if loads <= 32:
        team = power_of_two(loads)
        return Plan(256, team, min(4, power_of_two(share)), 1, 1, 3)
    if share >= 8:
        unroll = min(power_of_two(cdiv(loads, 32)), 4)
        return Plan(256, 32, 8 // unroll, unroll, 1, 3)
    threads_a_row = power_of_two(cdiv(loads, min(share, 4)))
    if threads_a_row <= 32:
        return Plan(128, 32, 1, 4, 1, 4)
    cluster = min(8, max(1, power_of_two(cdiv(sms, rows)) // 2, threads_a_row // 1024))
    threads = min(max(threads_a_row // cluster, 64), 1024)
    return Plan(threads, threads, 1, 4, cluster, 1)


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


@cache
def loaded(device: int, cluster: int, *parameters: torch.dtype | int | bool) -> Kernel:
    run = kernel(__file__, "gemv", *parameters).in_clusters(cluster)
    if cluster > PORTABLE_CLUSTER:
        require(driver().cuKernelSetAttribute(ALLOW_LARGER, 1, c_void_p(run.handle), device))
    return run


def launch(matrix, vector, out, chosen):
    """`matrix` has neighbouring columns side by side, and so has `vector`."""
    rows, columns = matrix.shape
    itemsize, device = matrix.element_size(), matrix.get_device()
    step = matrix.stride(0) * itemsize
    apart = 16 // gcd(step, 16)  # rows this far apart lie alike on 16 bytes
    together = gcd(step, matrix.data_ptr() - vector.data_ptr(), 16) // itemsize
    *numbers, waves = astuple(chosen)
    run = loaded(device, chosen.cluster, matrix.dtype, together, whole(matrix), *numbers)
    teams = cdiv(rows, chosen.rows * apart) * apart
    grid = cdiv(teams, chosen.threads // chosen.team)
    if waves:
        grid = min(grid, cdiv(waves * multiprocessors(device), chosen.cluster))
    steps = (matrix.stride(0), apart.bit_length() - 1, out.stride(0))
    run(grid * chosen.cluster, chosen.threads, matrix, vector, out, rows, columns, *steps)


def launch_short(matrix, vector, out):
    rows, columns = matrix.shape
    step = matrix.stride(0)
    tile = (SHORT_THREADS - 1) * step + columns
    room = 16 * (cdiv(columns, 4) + cdiv(tile * matrix.element_size(), 16) + 1)
    run = kernel(__file__, "short_rows", matrix.dtype, SHORT_THREADS)
    grid = cdiv(rows, SHORT_THREADS)
    steps = (step, out.stride(0))
    run(grid, SHORT_THREADS, matrix, vector, out, rows, columns, *steps, shared=room)


def whole(matrix):
    """Whether every row starts and ends on a multiple of 16 bytes."""
    lengths = matrix.stride(0) | matrix.shape[1]
    return (matrix.data_ptr() | lengths * matrix.element_size()) % 16 == 0


def gemv(matrix, vector, out=None):
    rows, columns = matrix.shape
    out = matrix.new_empty(rows) if out is None else out
    if not rows:
        return out
    matrix = matrix if matrix.stride(1) == 1 else matrix.contiguous()
    vector = vector.contiguous()
    if max(columns, matrix.stride(0)) * matrix.element_size() <= SHORT and not whole(matrix):
        launch_short(matrix, vector, out)
    else:
        sms = multiprocessors(matrix.get_device())
        launch(matrix, vector, out, plan(rows, columns, matrix.element_size(), sms))
    return out
