"""What a device reaches at best, and the least time a workload should therefore take.

Measured roofs give the floor. Theoretical peaks only say what is impossible.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from warpbook.core.cost import Cost, OtherUnit


@dataclass(frozen=True)
class Peaks:
    """What no kernel on this device can exceed. A rate that is not known is absent."""

    bytes_per_s: float
    rates: Mapping[str, float] = field(default_factory=dict)
    cache_bytes: int = 0


@dataclass(frozen=True)
class Roofs:
    """Measured on this device: bandwidths in bytes a second, rates in operations a second."""

    device: str
    copy_bytes_per_s: float
    read_bytes_per_s: float
    write_bytes_per_s: float
    rates: Mapping[str, float]
    launch_us: float
    peaks: Peaks
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Floor:
    """The least time, and the roof that sets it: `memory`, `launch` or a unit of operations.
    `by_roof_us` is what each roof alone would take; older receipts have none."""

    us: float
    binds: str
    by_roof_us: Mapping[str, float] = field(default_factory=dict)


def floor(cost: Cost, roofs: Roofs, other: OtherUnit | None = None) -> Floor:
    """Of a rung that makes its operations on an `other` unit, that unit's roof is among those that
    may set it, in place of the cost's own."""
    times = {"memory": memory_us(cost, roofs), "launch": roofs.launch_us}
    times |= compute_us(cost, roofs, other)
    binds = max(times, key=lambda roof: times[roof])
    return Floor(times[binds], binds, compute_us(cost, roofs) | times)


def compute_us(cost: Cost, roofs: Roofs, other: OtherUnit | None = None) -> dict[str, float]:
    """What the operations take on each unit whose rate is known."""
    operations = cost.operations
    if other and other.name in roofs.rates:
        operations = {other.name: other.times * sum(operations.values())}
    return {
        unit: count / roofs.rates[unit] * 1e6
        for unit, count in operations.items()
        if unit in roofs.rates
    }


def memory_us(cost: Cost, roofs: Roofs) -> float:
    """Bytes read and written in equal parts move at the copy rate, the rest at the rate of its
    own direction."""
    both = min(cost.bytes_read, cost.bytes_written)
    seconds = (
        2 * both / roofs.copy_bytes_per_s
        + (cost.bytes_read - both) / roofs.read_bytes_per_s
        + (cost.bytes_written - both) / roofs.write_bytes_per_s
    )
    return seconds * 1e6


def impossible_below_us(cost: Cost, peaks: Peaks) -> float:
    """A time under this was not measured honestly. Written bytes may still sit in the cache when
    a kernel ends, so only those that cannot fit there count."""
    bytes_moved = cost.bytes_read + max(0, cost.bytes_written - peaks.cache_bytes)
    seconds = bytes_moved / peaks.bytes_per_s
    for unit, operations in cost.operations.items():
        if unit in peaks.rates:
            seconds = max(seconds, operations / peaks.rates[unit])
    return seconds * 1e6
