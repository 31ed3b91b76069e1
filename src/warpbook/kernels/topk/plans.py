"""How topk's top rung cuts rows up: how many threads and blocks a row gets, and how many candidates
they have room for.

Knows the sizes and how many multiprocessors there are; what a kernel does with a plan it does not.
"""

from dataclasses import dataclass
from functools import cache

from warpbook.kernels.cuda import cdiv

MOST_K = 1024
RANKED = 128  # candidates that are sorted without a place to exchange them, as in select.cuh
LOADS = 8
THREADS = 256
FIT = {1: 3, LOADS: 2}  # blocks of THREADS on a multiprocessor, by groups: what leaves registers
CLUSTER = 8
SHARED = 227 * 1024
FIXED = 6 * 1024  # of shared memory, for each block besides its lists


@dataclass(frozen=True)
class Plan:
    """`cluster` blocks of `threads` threads have a row, `loads` vectors of 16 bytes a thread at a
    time, in `groups` groups. A block puts `aside` vectors aside and has room for `room` candidates, and the first of a cluster
    for `lot` of each. `fit` blocks of `most` threads fit on a multiprocessor."""

    threads: int
    loads: int
    groups: int
    cluster: int
    aside: int
    room: int
    lot: int
    spare: int
    most: int = THREADS
    fit: int = 3

    @property
    def shared_bytes(self) -> int:
        return 20 * self.aside + 8 * self.room + max(8 * self.lot * self.cluster, self.spare)

    @property
    def resident(self) -> int:
        """Blocks that a multiprocessor has room for."""
        by_registers = self.most * self.fit // self.threads
        return max(1, min(32, by_registers, SHARED // (self.shared_bytes + FIXED)))


def power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


@cache
def plan(rows: int, columns: int, k: int, itemsize: int, sms: int) -> Plan:
    """As many threads as the row has work for, up to a block; a cluster of them where rows are few
    and long. More groups cost registers, and are needed where k is large beside the threads."""
    vectors = max(cdiv(columns * itemsize, 16), 1)
    least = power_of_two(k) // 4 if k > RANKED else 32
    threads = min(max(cdiv(vectors, LOADS * 32) * 32, least), THREADS)
    cluster = 1
    while 2 * cluster <= CLUSTER and 2 * cluster * rows <= 2 * sms and vectors >= 2 * cluster * LOADS * threads:
        cluster *= 2
    groups = 1 if threads * cluster * 4 // itemsize >= 4 * k else LOADS
    aside = min(max(256, 2 * power_of_two(k)), cdiv(vectors, 4) * 8)
    room = 4 * power_of_two(k) + 2 * threads * 16 // itemsize
    room = max(min(room, cdiv(columns, 32) * 32 + 32), power_of_two(k))
    lot = cdiv(k, 4) * 4 if cluster > 1 else 0
    spare = 2 * itemsize * power_of_two(k) if k > RANKED else 0
    return Plan(threads, LOADS, groups, cluster, aside, room, lot, spare, fit=FIT[groups])
