"""The model by which the Triton rungs pick a tile, and how often to cut k, from the sizes.

Knows sizes and how many multiprocessors there are; not how a rung walks its tiles.
"""

from dataclasses import dataclass
from functools import cache

import torch

from warpbook.kernels.cuda import cdiv

# Measured on an H200, in 16-bit numbers a microsecond: what memory gives, and what one
# multiprocessor takes of it when it has its shared memory full of tiles on their way, twice its
# share.
MEMORY = 2.15e6
OF_ONE = 31.4e3
SHARING = 3.0  # microseconds, beside the bytes: parts are counted in, and read by the last to come
PARTS = (1, 2, 3, 4, 6, 8, 12, 16)
MOST_CUT = 1024  # tiles of which k is cut
FEW = 64  # columns that fit one narrow tile
SHARED_MEMORY = 216 * 1024  # bytes for tiles on their way
INTERPRETED_SMS = 132


@dataclass(frozen=True)
class Tile:
    """`rows` x `columns` of the answer, `depth` of k at a time, `stages` of those on their way, by
    one program on a multiprocessor. `rate` is how many products it makes in a microsecond, and
    `end_us` what a tile takes beside them: its first loads, its epilogue, its stores."""

    rows: int
    columns: int
    depth: int
    warps: int
    stages: int
    rate: float
    end_us: float


# Rates on an H200, of products with k from 2560 to 14336.
LARGE = (
    Tile(128, 256, 64, 8, 4, 3.2e6, 2.0),
    Tile(128, 128, 64, 4, 6, 3.05e6, 0.9),
    Tile(64, 128, 128, 4, 4, 2.55e6, 0.4),
    Tile(64, 64, 128, 4, 6, 1.8e6, 0.4),
)


@dataclass(frozen=True)
class Plan:
    """A tile, into how many parts k is cut, and how long the model thinks it takes."""

    tile: Tile
    parts: int
    us: float


def tiles_for(columns: int) -> tuple[Tile, ...]:
    return (narrow(128, columns), narrow(64, columns)) if columns <= FEW else LARGE


def narrow(rows: int, columns: int) -> Tile:
    """As wide as the columns are few. Bytes on their way are all that counts: steps are deep, and
    fill the shared memory with four stages or more."""
    width = max(16, 1 << (columns - 1).bit_length())
    depth = 16384 // rows
    while SHARED_MEMORY // (2 * depth * (rows + width)) < 4:
        depth //= 2
    stages = SHARED_MEMORY // (2 * depth * (rows + width))
    return Tile(rows, width, depth, 4, stages, OF_ONE * width, 1.0)


@cache
def plan(rows: int, columns: int, k: int, sms: int, most_parts: int = 16) -> Plan:
    """The tile and the cut of k that take least time by the model."""
    plans = []
    for tile in tiles_for(columns):
        count = cdiv(rows, tile.rows) * cdiv(columns, tile.columns)
        most = min(most_parts, k // (4 * tile.depth) if count <= MOST_CUT else 1)
        for parts in (p for p in PARTS if p == 1 or p <= most):
            us = expected_us(tile, parts, rows, columns, k, sms)
            plans.append(Plan(tile, parts, us))
    return min(plans, key=lambda plan: plan.us)


def expected_us(tile: Tile, parts: int, rows: int, columns: int, k: int, sms: int) -> float:
    """Tiles go round the multiprocessors in waves, each of which takes as long as a tile; memory
    takes as long as its bytes; parts are written and read again, in float32."""
    waves = cdiv(cdiv(rows, tile.rows) * cdiv(columns, tile.columns) * parts, sms)
    made = waves * (tile.rows * tile.columns * k / parts / tile.rate + tile.end_us)
    moved = (rows * k + k * columns + rows * columns) / MEMORY
    shared = SHARING + 4 * parts * rows * columns / MEMORY if parts > 1 else 0.0
    return max(made, moved) + shared


@cache
def multiprocessors(device: torch.device) -> int:
    if device.type != "cuda":
        return INTERPRETED_SMS
    return torch.cuda.get_device_properties(device).multi_processor_count
