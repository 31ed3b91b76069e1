"""How many warps a multiprocessor can hold at once, and what keeps it from holding more.

Arithmetic over a launch's figures and a device's limits. Knows nothing of torch or of clocks.
"""

from dataclasses import dataclass
from math import prod

WARP = 32
REGISTER_UNIT = 256  # registers are handed to a warp in units of so many
PARTITIONS = 4  # each with its own quarter of the registers
SHARED_UNIT = 128


@dataclass(frozen=True)
class Limits:
    """Of one multiprocessor. `reserved_shared_bytes` is what the driver takes for each block."""

    multiprocessors: int
    threads: int
    blocks: int
    registers: int
    shared_bytes: int
    reserved_shared_bytes: int


@dataclass(frozen=True)
class Occupancy:
    """`fraction` of a multiprocessor's warps that can be there at once, if the grid is large
    enough; `limited_by` is what runs out first: threads, blocks, registers or shared memory."""

    fraction: float
    blocks: int
    limited_by: str


def occupancy(
    block: tuple[int, ...], registers: int, shared_bytes: int, limits: Limits
) -> Occupancy:
    warps = -(-prod(block) // WARP)
    fits = {
        "threads": limits.threads // WARP // warps,
        "blocks": limits.blocks,
        "registers": blocks_by_registers(warps, registers, limits),
        "shared memory": blocks_by_shared(shared_bytes, limits),
    }
    limited_by = min(fits, key=lambda resource: fits[resource])
    blocks = fits[limited_by]
    return Occupancy(blocks * warps * WARP / limits.threads, blocks, limited_by)


def blocks_by_registers(warps: int, registers: int, limits: Limits) -> int:
    """A warp's registers lie in one partition, so what is left over in each is lost."""
    a_warp = -(-max(registers, 1) * WARP // REGISTER_UNIT) * REGISTER_UNIT
    return limits.registers // PARTITIONS // a_warp * PARTITIONS // warps


def blocks_by_shared(shared_bytes: int, limits: Limits) -> int:
    a_block = -(-(shared_bytes + limits.reserved_shared_bytes) // SHARED_UNIT) * SHARED_UNIT
    return limits.shared_bytes // a_block if a_block else limits.blocks
