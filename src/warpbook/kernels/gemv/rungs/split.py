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
from dataclasses import astuple, dataclass
from functools import cache
from math import gcd
from typing import NamedTuple

import torch

from warpbook.kernels.cuda import Kernel, cdiv, driver, kernel, require

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.2

WARPS = 12
LONG = 512  # loads of 16 bytes, of which each thread of a block then has some
KEPT = 128 * 1024  # bytes of a vector that the L1 keeps beside what streams by
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
def plan(rows: int, columns: int, itemsize: int, sms: int, whole: bool = True) -> Plan:
    """A warp a row, or less of one, as long as that makes WARPS a multiprocessor; a block where
    rows are long; and where they are few as many threads as it takes, up to a cluster of blocks.
    `whole` rows are multiples of 16 bytes, and nothing starts off such a multiple."""
    loads = max(columns * itemsize // 16, 1)
    if loads >= LONG and rows >= 4 * sms:
        chosen = a_block_a_row(rows, loads, sms, whole)
        if full(loads, chosen.team * chosen.unroll):
            return chosen
    team = min(power_of_two(loads), 32)
    if rows * team >= sms * WARPS * 32:
        unroll = evenly(loads, team, most=5)
        together = (0, 4, 4, 2, 2, 2)[unroll]
        while together > 1 and rows * team < together * sms * WARPS * 32:
            together //= 2
        unroll = evenly(loads, team, most=8) if together == 1 else unroll
        threads = 256 if whole else 128
        fit = resident(threads, together, unroll, whole)
        return Plan(threads, team, together, unroll, 1, fit)
    wanted = min(power_of_two(cdiv(sms * 512, rows)), power_of_two(cdiv(loads, 2)))
    cluster = min(PORTABLE_CLUSTER, power_of_two(sms // rows + 1) // 2 or 1, cdiv(wanted, 32))
    threads = min(cdiv(wanted, cluster), 512)
    if threads <= 32 and cluster == 1:
        return Plan(128, team, 1, evenly(loads, team, most=5), 1, 4)
    unroll = evenly(loads, threads * cluster, most=8)
    return Plan(threads, threads, 1, unroll, cluster, resident(threads, 1, unroll, whole))


def a_block_a_row(rows: int, loads: int, sms: int, whole: bool) -> Plan:
    """Two rows at a time where a multiprocessor has very many, or has all of its rows at once; four
    where the L1 cannot keep the vector. Else one, or turns of warps if they come out even."""
    each = cdiv(rows, sms)
    if loads * 16 > KEPT and full(cdiv(rows, 4), sms):
        return Plan(256, 256, 4, 2, 1, resident(256, 4, 2, whole))
    if 10 < each < 64 and loads == LONG and rows > 16 * sms and full(rows, 16 * sms):
        return Plan(256, 32, 1, 8, 1, 2, waves=2)
    pairs = each >= 64 or (each <= 10 and full(cdiv(rows, 2), sms))
    together, most = (2, 4) if pairs else (1, 8)
    unroll = evenly(loads, 128, most)
    return Plan(128, 128, together, unroll, 1, resident(128, together, unroll, whole))


def full(items: int, places: int) -> bool:
    """Whether the last turn leaves few places empty, counted over all turns."""
    return 8 * items >= 7 * places * cdiv(items, places)


def evenly(loads: int, threads: int, most: int) -> int:
    """How many loads at a time, at most so many, so that the last time is as full as the others or
    nearly so."""
    each = cdiv(loads, threads)
    exact = [n for n in range(most // 2 + 1, most + 1) if each % n == 0]
    return max(exact) if exact else cdiv(each, cdiv(each, most))


def resident(threads: int, rows: int, unroll: int, whole: bool) -> int:
    """Blocks that leave each thread registers for its loads, its rows and some of the vector."""
    registers = max(64, (36 if whole else 40) + 4 * unroll * (rows + 1))
    return max(1, 65536 // (registers * threads))


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
    if cluster > PORTABLE_CLUSTER:
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
