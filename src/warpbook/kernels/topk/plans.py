"""How topk's top rung cuts rows up: how many threads and blocks a row gets, and how many candidates
they have room for.

Knows the sizes and how many multiprocessors there are; what a kernel does with a plan it does not.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from warpbook.kernels.cuda import cdiv

MOST_K = 1024
RANKED = 128  # candidates that are sorted without a place to exchange them, as in select.cuh
SHARED = 227 * 1024
FIXED = 15 * 512  # of shared memory, for each block besides its lists
CLUSTER = 8
MOST_SHORT = 1024  # columns
PARTS, THREADS = 8, 256  # that count how many are above one number; and of a block
COMPARED = 2**23  # pairs of numbers, of all rows
PICKED = {2: 4, 4: 8, 8: 8, 16: 4, 32: 2}  # k, by the elements of a lane


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


class Case(NamedTuple):
    """What else it is compiled for: whether a cluster has a row, a block has one row and takes its
    share of a row in one chunk, and few are wanted. A kernel for everything is 81 KB of code,
    which no cache has after other work, and every jump over what is not run waits for memory: 4.5
    us at 1x8192 and k 1, in place of 3.2 with the 30 KB that this launch may need."""

    clustered: bool
    one_row: bool
    one_chunk: bool
    few: bool


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

    def at_once(self, rows: int, sms: int) -> int:
        """Rows that there are clusters for; each takes the next when it is done with one."""
        return min(rows, cdiv(sms * self.resident, self.cluster))


def power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


class Short(NamedTuple):
    """How rows without a floor are launched: the kernel, the number that it is compiled for, and
    its blocks, of `threads` threads each."""

    name: str
    number: int
    blocks: int
    threads: int


def short(rows: int, columns: int, k: int, sms: int) -> Short | None:
    """The kernel for rows that are not worth a floor, if there is one. Where they are few, all
    numbers are compared with all others, by blocks that need not wait for each other: 2.9 us in
    place of 6.2 at 1x1024 and k 64 in float32. Not by so many blocks that they have to queue."""
    if columns > MOST_SHORT:
        return None
    each = max(power_of_two(cdiv(columns, 32)), 2)
    blocks = rows * cdiv(columns, THREADS // PARTS)
    if rows * columns**2 <= COMPARED and blocks <= (2 if each == 2 else 4) * sms:
        return Short("ranked_rows", PARTS, blocks, THREADS)
    if picked(rows, each, k, sms):
        return Short("picked_rows", each, cdiv(rows, 4), 128)
    if sorted_whole(rows, columns, each, k, sms):
        return Short("short_rows", each, cdiv(rows, 4), 128)
    return None


def picked(rows: int, each: int, k: int, sms: int) -> bool:
    """Whether a warp takes the best of its row k times, with so many elements a lane: 4.4 us in
    place of 12.2 at 8192x256 and k 1, 10.3 in place of 18.4 at k 8. A block has more loads on their
    way where rows are long and few: 3.4 us in place of 4.2 at 300x1024 and k 1."""
    if each == 32 and rows < 8 * sms:
        return False
    return k <= PICKED[each] or (each == 2 and k <= 8 and rows >= 16 * sms)


def sorted_whole(rows: int, columns: int, each: int, k: int, sms: int) -> bool:
    """Whether a warp sorts its row: it pays where much of the row is wanted, and takes long where
    there are many elements a lane, so that large k of more than 256 columns are better left to
    `radix`: 283 us at 8192x1024 and k 1024 in float32, in place of 206."""
    few = rows < 2 * sms
    if each <= 2 or (each <= 8 and (few or 8 * k >= columns)):
        return True
    return k <= RANKED and not few and 4 * k >= columns


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


def case(rows: int, columns: int, k: int, itemsize: int, sms: int, chosen: Plan) -> Case:
    share = cdiv(columns * itemsize // 16, chosen.cluster)
    return Case(
        chosen.cluster > 1,
        chosen.at_once(rows, sms) == rows,
        share <= chosen.threads * chosen.kind.loads,
        k <= RANKED,
    )


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
