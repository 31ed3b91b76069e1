"""The model by which the Triton rungs pick a tile, and how often to cut k, from the sizes.

Knows sizes and how many multiprocessors there are; not how a rung walks its tiles.
"""

from dataclasses import dataclass
from functools import cache

import torch

from warpbook.kernels.cuda import cdiv

# As an H200 reaches them, in numbers of 16 bits or sums of products a microsecond.
MEMORY = 4.3e6 / 2
SECOND_KERNEL = 3.0  # microseconds that it takes to add up the parts of a k that was cut
PARTS = (1, 2, 3, 4, 6, 8, 12, 16)
FEW = 64  # rows that fit one tile's short side
MOST_CUT = 1024  # tiles of which k is cut
INTERPRETED_SMS = 132


@dataclass(frozen=True)
class Tile:
    """`rows` x `columns` of the answer, `depth` of k at a time, `stages` of them on their way.
    `resident` programs fit on a multiprocessor. `rate` is what a multiprocessor then makes, in
    products a microsecond."""

    rows: int
    columns: int
    depth: int
    warps: int
    stages: int
    resident: int
    rate: float


LARGE = (
    Tile(128, 256, 64, 8, 4, 1, 2.7e6),
    Tile(128, 128, 64, 4, 3, 2, 2.3e6),
    Tile(64, 128, 64, 4, 4, 2, 1.6e6),
    Tile(64, 64, 64, 4, 4, 3, 1.1e6),
)


@dataclass(frozen=True)
class Plan:
    """A tile, in how many parts k is cut, and how long the model thinks it takes."""

    tile: Tile
    parts: int
    us: float


def tiles_for(rows: int, columns: int) -> tuple[Tile, ...]:
    """Of an answer with so many columns. Few columns have tiles as wide as they are, and the deeper
    for it: bytes on their way are what counts there."""
    if columns > FEW:
        return LARGE
    width = max(16, 1 << (columns - 1).bit_length())
    return (Tile(128, width, 128, 4, 4, 1, 0.9e6), Tile(64, width, 128, 4, 4, 2, 0.9e6))


@cache
def plan(rows: int, columns: int, k: int, sms: int, most_parts: int = 16) -> Plan:
    """The tile and the cut of k that take least time by this model: tiles go round the
    multiprocessors in waves, and each wave takes as long as a tile of it; memory takes as long as
    its bytes; parts are written and read again in float32 by a second kernel."""
    best = None
    for tile in tiles_for(rows, columns):
        for parts in (p for p in PARTS if p <= most_parts):
            cut = cdiv(rows, tile.rows) * cdiv(columns, tile.columns)
            if parts > 1 and (k < 4 * parts * tile.depth or cut > MOST_CUT):
                continue
            found = Plan(tile, parts, expected(tile, parts, rows, columns, k, sms))
            if best is None or found.us < best.us:
                best = found
    assert best is not None
    return best


def expected(tile: Tile, parts: int, rows: int, columns: int, k: int, sms: int) -> float:
    tiles = cdiv(rows, tile.rows) * cdiv(columns, tile.columns) * parts
    each = cdiv(tiles, sms) * tile.rows * tile.columns * (k / parts)
    made = each / tile.rate
    moved = (rows * k + k * columns + rows * columns) / MEMORY / min(1, tiles / sms)
    again = SECOND_KERNEL + 4 * parts * rows * columns / MEMORY if parts > 1 else 0.0
    return max(made, moved) + again


@cache
def multiprocessors(device: torch.device) -> int:
    if device.type != "cuda":
        return INTERPRETED_SMS
    return torch.cuda.get_device_properties(device).multi_processor_count
