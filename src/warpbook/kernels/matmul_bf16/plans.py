"""How the top rung of matmul_bf16 cuts a product up: which tile, how many blocks, and who shares k.

A small model of the time says which. Knows the sizes and how many multiprocessors there are; what a
kernel does with a plan it does not.

The product is cut into tiles of P [rows, k] times Q [columns, k] transposed: P is A and Q is B, or
the other way about where A has few rows, because the matrix instructions take 64 rows of P at a
time and as few as 16 of Q. A block walks along k for its tile in steps of 64. As many tiles as
there are blocks are a wave; what is left over after the last full wave would leave most of the
multiprocessors idle, so the steps of those tiles may be shared out evenly instead: a tile is then
the sum of what several blocks found, which costs time of its own.

    time = the larger of (steps of the busiest block x time of a step) and (bytes / bandwidth)
         + the end of a tile + what sharing costs
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from warpbook.kernels.cuda import cdiv

STEP = 64  # of k
LINE = 128  # bytes that memory is read in
SHARED_MEMORY = 227 * 1024  # bytes that a block can have
MOST_STAGES = 16
TICKETS = 2048  # that a stream keeps for shared tiles
GROUP = 2048  # rows that are walked down together, so that what is fetched stays in the L2


@dataclass(frozen=True)
class Tile:
    """`rows` of P by `columns` of Q, in steps of `depth` times 64 of k. The blocks of a `pair`, one
    below the other, fetch their Q together; `split` blocks have a tile together, each a part of its
    k, and add up in each other's shared memory. The product of a `sideways` one is written with its
    rows along memory. A multiprocessor has one block, which takes `step_us` for a step when nothing
    but itself holds it up, and `end_us` to write its tile."""

    rows: int
    columns: int
    depth: int
    pair: int
    split: int
    sideways: bool
    step_us: float
    end_us: float

    @property
    def threads(self) -> int:
        return 128 + 2 * self.rows

    @property
    def cluster(self) -> int:
        return self.pair * self.split

    @property
    def width(self) -> int:
        """Columns that a block writes in the end."""
        return self.columns // self.split if self.columns // self.split >= 16 else self.columns

    @property
    def stored_at_once(self) -> int:
        """Columns of a warp: 64, or the most that come out even."""
        return (
            64 if self.width % 64 == 0 else max(w for w in (16, 32, 48, 80) if self.width % w == 0)
        )

    def suits(self, b_across: bool) -> bool:
        """Not for a B that comes in slabs of 64 columns if it would use a part of the last: 128x144
        took 0.55 us a step at 5120^3 where it takes 0.38 otherwise."""
        return self.sideways or self.columns % 64 == 0 or not b_across

    def stage(self, q_across: bool) -> int:
        """Bytes of a step. With k across its rows Q comes in slabs of 64 columns."""
        columns = cdiv(self.columns, 64) * 64 if q_across else self.columns
        return self.depth * (self.rows + columns) * STEP * 2

    def stages(self, q_across: bool) -> int:
        """As many as there is room for beside the product on its way out, and two barriers each."""
        return self.stages_beside(self.staging, q_across)

    @property
    def fetched(self) -> float:
        """Bytes of a step that a block fetches itself."""
        return self.depth * (self.rows + self.columns / self.pair) * STEP * 2

    def stages_beside(self, staging: int, q_across: bool = False) -> int:
        room = SHARED_MEMORY - staging - 16
        return min(room // (self.stage(q_across) + 16), MOST_STAGES)

    @property
    def places(self) -> int:
        """Where a warp puts what it stores at once: two by turns, or one if that is a stage more,
        which at 256x9216x2560 took 0.5 us off 19.6."""
        one = self.rows * self.stored_at_once * 2
        return 2 if self.stages_beside(2 * one) == self.stages_beside(one) else 1

    @property
    def staging(self) -> int:
        of_one = self.width if self.sideways else self.places * self.stored_at_once
        return self.rows * of_one * 2

    def shared(self, q_across: bool) -> int:
        """Bytes of shared memory that a block has."""
        return self.stages(q_across) * (self.stage(q_across) + 16) + self.staging + 16

    @property
    def parameters(self) -> tuple[int | bool, ...]:
        tile = self.rows, self.columns, self.depth, self.pair, self.split
        return *tile, self.sideways, self.places


# The times are an H200's: those with which the model comes nearest to 1,800 plans of 150 products,
# and picks best among them. It is off by 9%, and what it picks takes 1% longer than the quickest.
TILES = (
    Tile(128, 256, 1, 2, 1, False, 0.627, 2.0),
    Tile(128, 128, 1, 1, 1, False, 0.376, 0.7),
    Tile(128, 144, 1, 1, 1, False, 0.365, 1.5),
    Tile(128, 192, 1, 1, 1, False, 0.479, 1.2),
    Tile(128, 80, 1, 1, 1, False, 0.292, 1.2),
    Tile(64, 80, 2, 1, 1, False, 0.34, 1.1),
    Tile(64, 128, 1, 1, 1, False, 0.212, 0.9),
    Tile(64, 144, 1, 1, 1, False, 0.236, 0.9),
    Tile(64, 192, 1, 1, 1, False, 0.275, 1.1),
    Tile(64, 256, 1, 1, 1, False, 0.326, 1.5),
    Tile(128, 32, 2, 1, 1, True, 0.404, 0.8),
    Tile(64, 32, 4, 1, 2, True, 0.623, 2.1),
    Tile(128, 64, 1, 1, 1, True, 0.249, 0.9),
    Tile(64, 64, 2, 1, 2, True, 0.323, 2.3),
    Tile(64, 128, 1, 1, 2, True, 0.171, 3.5),
)
START_US = 2.4  # until the first step
MEMORY = 4.4e6  # bytes a microsecond
RAGGED = 5.2e4  # the same for one block, of rows that do not start where lines of 128 bytes do
ACTIVATE_US = (4.5, 2.0)  # a tile of any width, and a sideways one
SHARE_US = 2.3  # to leave sums to another and be told of it
SHARED = 9.5e4  # bytes of sums a microsecond, that a block writes or reads


@dataclass(frozen=True)
class Plan:
    """A unit is the tiles of a cluster; there are `tall` x `wide` of them, of `steps` each. The
    first `whole` of them are done by one of `workers` each, in turns; the steps of the others are
    shared out, `share` to each. They are walked down `group` rows, then a column on. `swapped`
    when P is B. By the model it all takes `us`."""

    tile: Tile
    swapped: bool
    tall: int
    wide: int
    steps: int
    group: int
    workers: int
    whole: int
    share: int
    us: float = 0.0

    @property
    def units(self) -> int:
        return self.tall * self.wide

    @property
    def blocks(self) -> int:
        return self.workers * self.tile.cluster

    @property
    def places(self) -> int:
        """Of blocks that leave their sums in memory, for another to add."""
        return 2 * self.blocks if self.share else 0

    def __str__(self) -> str:
        tile = self.tile
        words = f"{tile.rows}x{tile.columns} tiles on {self.blocks} blocks"
        if tile.split > 1:
            words += f", k split between {tile.split} that add up in shared memory"
        elif self.share:
            shared = f"{self.units - self.whole} of {self.units}" if self.whole else "all"
            words += f", k of {shared} shared out between them"
        else:
            words += f" in {self.units / self.workers:.1f} waves, no split"
        words += ", in pairs that fetch together" if tile.pair > 1 else ""
        return words + (", operands swapped" if self.swapped else "")


class Ways(NamedTuple):
    """What else makes a product take longer. `ragged`: not all rows start at multiples of 128
    bytes, so that a tile's touch twice the lines: 128x192 took 0.87 us a step at 1000x3000x5000.
    `activated`: it has an activation, which no other tile hides."""

    ragged: bool = False
    activated: bool = False


PLAIN = Ways()


@cache
def plan(m: int, n: int, k: int, sms: int, b_across: bool = False, ways: Ways = PLAIN) -> Plan:
    """The one of least time by the model. `b_across`: neighbours in memory are those along n."""
    found = candidates(m, n, max(k, 1), sms, ways)
    return min((p for p in found if p.tile.suits(b_across)), key=lambda plan: plan.us)


def candidates(m: int, n: int, k: int, sms: int, ways: Ways = PLAIN) -> Iterator[Plan]:
    for tile in TILES:
        # A sideways tile has all of Q at once: A, or B where that is the narrow one. The others
        # would be half empty where there are few rows.
        if min(m, n) > tile.columns if tile.sideways else 2 * min(m, n) <= tile.rows:
            continue
        swapped, workers = tile.sideways and m <= n, sms // tile.cluster
        units = cut(m, n, k, tile, swapped, workers, None).units
        for here, waves in schedules(tile, units, workers):
            found = cut(m, n, k, tile, swapped, here, waves)
            if (found.units - found.whole) * tile.cluster <= TICKETS:
                yield replace(found, us=expected(found, m, n, k, sms, ways))


def schedules(tile: Tile, units: int, workers: int) -> Iterator[tuple[int, int | None]]:
    """How many workers, and after how many waves of whole units the rest is shared."""
    yield workers, None
    if tile.split > 1:
        return
    full, rest = divmod(units, workers)
    if rest:
        yield workers, full
    for each in range(2, workers // units + 1):
        yield each * units, 0


def expected(plan: Plan, m: int, n: int, k: int, sms: int, ways: Ways = PLAIN) -> float:
    tile, steps = plan.tile, cdiv(plan.steps, plan.tile.split)
    step_us = max(tile.step_us, tile.fetched / RAGGED) if ways.ragged else tile.step_us
    end_us = tile.end_us + ACTIVATE_US[tile.sideways] * ways.activated
    waves = cdiv(plan.whole, sms // tile.cluster)
    moved = 2 * (m * k + n * k + m * n) / MEMORY
    made = waves * (steps * step_us + end_us)
    if tile.split > 1:  # a cluster ends with its tile, and the next one starts anew
        made += (waves - 1) * START_US
    if not plan.share:
        return START_US + max(made, moved + end_us)
    # Shares that end within a tile are at different places of k: what one fetches no other uses.
    even = steps % plan.share == 0
    alone = max(step_us, tile.fetched * sms / MEMORY)
    made += plan.share * (step_us if even else alone) + end_us
    left, sharers = (1, steps // plan.share) if even else (2, steps // plan.share + 2)
    adding = SHARE_US + (left + sharers) * tile.rows * tile.columns * 4 / SHARED
    return START_US + max(made, moved + end_us) + adding


def cut(m: int, n: int, k: int, tile: Tile, swapped: bool, workers: int, waves: int | None) -> Plan:
    """With so many `waves` of whole units, and what is left shared; None for no sharing."""
    rows, columns = (n, m) if swapped else (m, n)
    tall, wide = cdiv(cdiv(rows, tile.rows), tile.pair), cdiv(columns, tile.columns)
    units, steps = tall * wide, cdiv(k, STEP * tile.depth)
    whole = units if waves is None else min(units, waves * workers)
    if whole == units:
        workers = units if tile.split > 1 else min(workers, units)
    share = cdiv((units - whole) * steps, workers)
    group = 1 if swapped else max(1, GROUP // (tile.rows * tile.pair))
    return Plan(tile, swapped, tall, wide, steps, group, workers, whole, share)
