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
from dataclasses import dataclass
from functools import cache

from warpbook.kernels.cuda import cdiv

STEP = 64  # of k
SHARED_MEMORY = 227 * 1024
REGISTERS = 65536
MOST_SHARED_UNITS = 1024


@dataclass(frozen=True)
class Tile:
    """`rows` of P by `columns` of Q, with `stages` steps of both on their way. `cluster` blocks,
    one below the other, fetch their Q together. The product of a `sideways` one is written with
    its rows along memory. `resident` blocks fit on a multiprocessor; one of them takes `step_us`
    for a step when nothing but itself holds it up, and `end_us` to write its tile."""

    rows: int
    columns: int
    stages: int
    cluster: int
    sideways: bool
    resident: int
    step_us: float
    end_us: float

    @property
    def threads(self) -> int:
        return 128 + 2 * self.rows

    @property
    def shared(self) -> int:
        """Bytes: the stages, room for the product on its way out, and barriers."""
        stage = (self.rows + max(self.columns, 64)) * STEP * 2
        staging = self.columns * self.rows * 2 if self.sideways else self.rows * 256
        return self.stages * stage + staging + 16 * self.stages + 16

    @property
    def parameters(self) -> tuple[int | bool, ...]:
        return self.rows, self.columns, self.stages, self.cluster, self.sideways, self.resident


WIDE = Tile(128, 256, 4, 2, False, 1, 0.62, 2.0)
WIDE_ALONE = Tile(128, 256, 4, 1, False, 1, 0.66, 2.0)
SQUARE = Tile(128, 128, 6, 1, False, 1, 0.36, 1.5)
FEW_128 = Tile(64, 128, 4, 1, True, 2, 0.2, 1.5)
FEW_64 = Tile(64, 64, 6, 1, True, 2, 0.2, 1.5)
FEW_16 = Tile(64, 16, 6, 1, True, 2, 0.2, 1.5)


@dataclass(frozen=True)
class Plan:
    """A unit is the tiles of a cluster; there are `tall` x `wide` of them, of `steps` each. The
    first `whole` of them are done by one of `workers` each, in turns; the steps of the others are
    shared out, `share` to each. They are walked down `group` rows, then a column on. `swapped`
    when P is B."""

    tile: Tile
    swapped: bool
    tall: int
    wide: int
    steps: int
    group: int
    workers: int
    whole: int
    share: int

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


def cut(m: int, n: int, k: int, tile: Tile, swapped: bool, workers: int, waves: int | None) -> Plan:
    """With so many `waves` of whole units, and what is left shared; None for no sharing."""
    rows, columns = (n, m) if swapped else (m, n)
    tall, wide = cdiv(cdiv(rows, tile.rows), tile.cluster), cdiv(columns, tile.columns)
    units, steps = tall * wide, cdiv(k, STEP)
    whole = units if waves is None else min(units, waves * workers)
    workers = min(workers, units) if whole == units else workers
    share = cdiv((units - whole) * steps, workers)
    group = 1 if swapped else max(1, 2048 // (tile.rows * tile.cluster))
    return Plan(tile, swapped, tall, wide, steps, group, workers, whole, share)
