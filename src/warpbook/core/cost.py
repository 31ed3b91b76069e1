"""What a workload must do at least: bytes moved and operations made."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cost:
    """Operations are counted per unit of the device that makes them: `fp32`, `fp64`,
    `tf32 matrix`, `bf16 matrix`, `fp16 matrix`, `fp8 matrix`."""

    bytes_read: int
    bytes_written: int
    operations: Mapping[str, float] = field(default_factory=dict)
