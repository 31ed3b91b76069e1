"""What a comparison of two rungs says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from warpbook.core.cost import Cost
from warpbook.core.roofs import Floor


class Answer(StrEnum):
    """Of B against A."""

    FASTER = "faster"
    SLOWER = "slower"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Comparison:
    """`ratio` is B's time over A's, with its 99% interval from paired rounds in both orders;
    `noise` is what this machine shows for a rung against itself, as a relative difference. `floor`
    is the least time the workload should take here, from its `cost`; older receipts have none."""

    problem: str
    workload: str
    device: str
    a: str
    b: str
    answer: Answer
    ratio: float
    low: float
    high: float
    noise: float
    clock: str
    a_us: tuple[float, ...]
    b_us: tuple[float, ...]
    a_sha256: str
    b_sha256: str
    notes: tuple[str, ...] = ()
    machine: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    floor: Floor | None = None
    cost: Cost | None = None
