"""How gemv's top rung cuts a matrix up: how many threads a row gets, and how many rows a thread.

Knows the sizes and how many multiprocessors there are; what a kernel does with a plan it does not.
"""

from dataclasses import dataclass
from functools import cache

from warpbook.kernels.cuda import cdiv

WARPS = 12
LONG = 512  # loads of 16 bytes, of which each thread of a block then has some
KEPT = 128 * 1024  # bytes of a vector that the L1 keeps beside what streams by
PORTABLE_CLUSTER = 8


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
