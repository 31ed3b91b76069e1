"""How the top rung of matmul cuts a product up: which tile a block has, in how many parts k is, and
whether an operand is laid across k before it begins.

A small model of the time says which. Knows the sizes and how many multiprocessors there are; what a
kernel does with a plan it does not.

A multiprocessor holds a few blocks of a tile at a time, and starts the next as one ends. Tiles that
do not come out even leave some of them idle at the end, and few tiles leave most idle all along;
parts of k make more of them, but the parts have to be written, read back and added.

    time = tiles that the busiest multiprocessor has x (terms of a part + start) x time of a term
         + bytes of the parts / bandwidth + another launch, where there are parts
"""

from dataclasses import dataclass
from functools import cache

from warpbook.kernels.cuda import cdiv

ALONG, ACROSS, BY_16 = 0, 1, 4  # how an operand is copied, as in pieces.cuh
FFMA_US = 1 / (128 * 1980)  # of a multiprocessor's 128 lanes at 1980 MHz
START = 60  # terms that a tile's first copies and last stores take as long as
BYTES_A_US = 2.5e6  # written or read by a kernel that only moves
LAUNCH_US = 12.0  # of one more kernel, with what the host does for it
FEWEST_TERMS, MOST_TERMS = 128, 2**30  # of a part
MOST_PARTS = 64
# What copies of 4 bytes cost of the time, for each row or column of a tile: 5% for the 64 of SMALL.
BY_4 = 0.05 / 64


@dataclass(frozen=True)
class Tile:
    """A thread has `high` x `wide` results, a warp `lanes` threads above each other, a block `down`
    x `beside` warps; `stages` of `deep` terms are in shared memory. `shares` are what one block on
    a multiprocessor, two, and so on, reach of its lanes together."""

    high: int
    wide: int
    lanes: int
    down: int
    beside: int
    deep: int
    stages: int
    shares: tuple[float, ...]

    @property
    def parameters(self) -> tuple[int, ...]:
        shape = (self.high, self.wide, self.lanes, self.down, self.beside)
        return (*shape, self.deep, self.stages, len(self.shares))

    @property
    def rows(self) -> int:
        return self.high * self.lanes * self.down

    @property
    def columns(self) -> int:
        return self.wide * (32 // self.lanes) * self.beside

    @property
    def threads(self) -> int:
        return 32 * self.down * self.beside


# Shares as measured on an H200: 128 x 128 results and two blocks, 64 x 128 and three.
LARGE = Tile(8, 8, 4, 4, 2, deep=32, stages=2, shares=(0.62, 0.825))
SMALL = Tile(8, 8, 4, 2, 2, deep=16, stages=4, shares=(0.62, 0.65, 0.82))


@dataclass(frozen=True)
class Plan:
    """`parts` blocks have a tile together, each `part` terms of it."""

    tile: Tile
    parts: int
    part: int
    a_way: int
    b_way: int

    @property
    def shared(self) -> int:
        """Bytes of shared memory of a block; a row of a stage that is turned has 4 numbers more."""
        pads = 4 * ((self.a_way == ALONG) + (self.b_way == ALONG))
        return 4 * self.tile.stages * self.tile.deep * (self.tile.rows + self.tile.columns + pads)


def worth_laying(numbers: int, uses: int, across: int, processors: int) -> bool:
    """Whether an operand of so many numbers, which is not across k in pieces of 16 bytes, is better
    laid so first: a trip to memory, against copies of 4 bytes for a tile that is `across` wide."""
    product_us = numbers * uses * FFMA_US / (processors * SMALL.shares[-1])
    return BY_4 * across * product_us > LAUNCH_US + 8 * numbers / BYTES_A_US


@cache
def plan(m: int, n: int, k: int, processors: int, a_way: int, b_way: int) -> Plan:
    """Of all tiles and numbers of parts, the one that the model finds quickest. Few ways are worth
    a kernel of their own: the large tile has one, and 16 bytes of A go with 16 bytes of B only."""
    tiles: tuple[Tile, ...] = (LARGE, SMALL)
    if (a_way, b_way) != (BY_16, BY_16):
        tiles = (SMALL,)
        a_way = min(a_way, ACROSS)
        b_way = b_way if a_way == ALONG else min(b_way, ACROSS)
    fewest = cdiv(k, MOST_TERMS)
    most = max(fewest, min(MOST_PARTS, k // FEWEST_TERMS))
    tile, parts = min(
        ((tile, parts) for tile in tiles for parts in range(fewest, most + 1)),
        key=lambda cut: time_us(m, n, k, processors, *cut),
    )
    part = terms(k, tile, parts)
    return Plan(tile, cdiv(k, part), part, a_way, b_way)


def terms(k: int, tile: Tile, parts: int) -> int:
    """Of a part: whole stages."""
    return cdiv(cdiv(k, parts), tile.deep) * tile.deep


def time_us(m: int, n: int, k: int, processors: int, tile: Tile, parts: int) -> float:
    tiles = cdiv(m, tile.rows) * cdiv(n, tile.columns) * parts
    at_once = len(tile.shares)
    rounds, left = divmod(tiles, processors * at_once)
    alone = FFMA_US * tile.rows * tile.columns * (terms(k, tile, parts) + START)

    def together(blocks: int) -> float:
        return blocks * alone / tile.shares[blocks - 1] if blocks else 0.0

    total = rounds * together(at_once) + together(cdiv(left, processors))
    if parts > 1:
        total += LAUNCH_US + 4 * m * n * 2 * parts / BYTES_A_US
    return total
