"""What a workload must do at least: bytes moved and operations made."""

from collections.abc import Mapping
from dataclasses import dataclass, field

UNITS = ("fp32", "fp64", "tf32 matrix", "bf16 matrix", "fp16 matrix", "fp8 matrix")


@dataclass(frozen=True)
class Cost:
    """Operations are counted per unit of the device that makes them, one of UNITS."""

    bytes_read: int
    bytes_written: int
    operations: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class OtherUnit:
    """A unit other than the one a cost counts on, and how often it makes each operation: three
    products of TF32 stand for one of float32."""

    name: str
    times: float = 1.0
