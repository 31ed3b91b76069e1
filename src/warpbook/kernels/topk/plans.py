"""How topk's top rung cuts rows up: how many threads and blocks a row gets, and how many candidates
they have room for.

Knows the sizes and how many multiprocessors there are; what a kernel does with a plan it does not.
"""

from dataclasses import dataclass
from functools import cache

from warpbook.kernels.cuda import cdiv

MOST_K = 1024
RANKED = 128  # candidates that are sorted without a place to exchange them, as in select.cuh
SHARED = 227 * 1024
FIXED = 15 * 512  # of shared memory, for each block besides its lists
CLUSTER = 8


@dataclass(frozen=True)
class Kind:
    """What a kernel is compiled for: `loads` vectors of 16 bytes a thread at a time, in `groups`
    groups, and registers so that `fit` blocks of `most` threads fit on a multiprocessor."""

    loads: int
    groups: int
    most: int
    fit: int


# A thread with 16 vectors needs half the warps, and every warp has the same work besides: 84 us in
# place of 99 at 8192x8192 and k 64. With few rows there are too few of its blocks.
QUICK, LONG, LARGE = Kind(8, 1, 256, 3), Kind(16, 2, 128, 4), Kind(8, 8, 256, 2)


@dataclass(frozen=True)
class Plan:
    """`cluster` blocks of `threads` threads have a row. A block puts `aside` vectors aside and has
    room for `room` candidates, and the first of a cluster for `lot` of each."""

    kind: Kind
    threads: int
    cluster: int
    aside: int
    room: int
    lot: int

    @property
    def shared_bytes(self) -> int:
        return 20 * self.aside + 8 * self.room + 8 * self.lot * self.cluster

    @property
    def resident(self) -> int:
        """Blocks that a multiprocessor has room for."""
        by_registers = self.kind.most * self.kind.fit // self.threads
        return max(1, min(32, by_registers, SHARED // (self.shared_bytes + FIXED)))


def power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


def short(rows: int, columns: int, k: int, sms: int) -> int:
    """How many elements a lane has where a warp sorts a row, or 0 where none does: it pays where
    much of the row is wanted, and takes long where there are many elements a lane, so that large k
    of more than 256 columns are better left to `radix`: 283 us at 8192x1024 and k 1024 in float32,
    in place of 206."""
    each = max(power_of_two(cdiv(columns, 32)), 2)
    few = rows < 2 * sms
    if each <= 2 or (each <= 8 and (few or 8 * k >= columns)):
        return each
    return each if k <= RANKED and not few and 4 * k >= columns else 0


@cache
def plan(rows: int, columns: int, k: int, itemsize: int, sms: int) -> Plan:
    """As many threads as the row has work for, up to a block; a cluster of them where rows are few
    and long. Four groups for each that is wanted leave few other candidates; where threads alone do
    not make so many, a thread has more."""
    vectors = max(cdiv(columns * itemsize, 16), 1)
    few = rows <= sms
    least = power_of_two(k) // 4 if k > RANKED else 32
    kind = LONG if not few and vectors > 1024 else QUICK
    threads, cluster = spread(rows, vectors, least, kind, sms)
    if threads * cluster * kind.groups * 4 // itemsize < 4 * k:
        kind = LARGE
        threads, cluster = spread(rows, vectors, least, kind, sms)
    aside, room = lists(columns, k, itemsize, threads)
    return Plan(kind, threads, cluster, aside, room, cdiv(k, 4) * 4 if cluster > 1 else 0)


def by_radix(k: int, chosen: Plan) -> bool:
    """Whether a row is left to `radix`. Above RANKED there are groups and candidates by the
    thousand, and its histograms are quicker with them, where a block has a row to itself: 297 us in
    place of 375 at 8192x8192 and k 1024 in float32, 48 in place of 123 at 1024x8192 in bfloat16, 10
    in place of 27 at 64x1024 and k 256 in float32. To share a row is worth more: 17.5 us in place
    of 44 at 1x262144 and k 1024."""
    return k > RANKED and chosen.cluster == 1


def spread(rows: int, vectors: int, least: int, kind: Kind, sms: int) -> tuple[int, int]:
    """Threads of a block and blocks of a cluster. Where rows are few a thread gets fewer vectors
    than it could hold; where they are many, blocks of half the size overlap better."""
    few = rows <= sms
    most = kind.most if few or least > 128 else 128
    threads = min(max(cdiv(vectors, (4 if few else kind.loads) * 32) * 32, least), most)
    cluster = 1
    while cluster < CLUSTER and cluster * rows <= sms:
        if vectors < 2 * cluster * kind.loads * threads:
            break
        cluster *= 2
    return threads, cluster


def lists(columns: int, k: int, itemsize: int, threads: int) -> tuple[int, int]:
    """How many vectors are put aside, 20 bytes each, in what is later the place to sort in; and how
    many candidates are listed: after the best k, one vector of each thread."""
    vectors = cdiv(columns * itemsize, 16)
    aside = min(max(256, power_of_two(k) * 3 // 2), cdiv(vectors, 4) * 8)
    if k > RANKED:
        aside = max(aside, cdiv(2 * itemsize * power_of_two(k), 80) * 4)
    listed = 3 * max(power_of_two(k), 32) + threads * 16 // itemsize
    return aside, min(listed, cdiv(columns, 32) * 32) + 32
