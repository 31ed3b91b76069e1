"""What the judge says of one rung on one device, workload by workload."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from warpbook.core.cost import Cost
from warpbook.core.roofs import Floor

# In the note of a time that is the judge's own, since the device's was not to be believed.
NOT_BORNE_OUT = "not borne out by the judge's clock"


class Status(StrEnum):
    CORRECT = "correct"
    WRONG = "wrong"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    SUSPECT = "suspect"
    INVALID = "invalid"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Timing:
    """One clock's samples in microseconds; `low_us` to `high_us` is the 95% interval of the
    median."""

    median_us: float
    p20_us: float
    p80_us: float
    low_us: float
    high_us: float
    samples_us: tuple[float, ...]

    @classmethod
    def reckoned(cls, us: float) -> "Timing":
        """A time that no clock gave: it has neither samples nor an interval."""
        return cls(us, us, us, us, us, ())


@dataclass(frozen=True)
class Outcome:
    """One workload of a judgement. A time is here only when the status is correct.

    `error` is the largest error as a multiple of the plain reference's own, `budget` the multiple
    that is still right; both are None where the problem checks in another way.
    `fraction` is the floor over the device time and may pass 1. `limit` is the time of the fastest
    kernel that only moves the same bytes, where one ran in turns with this rung, or what the
    operations take at the device's rate if that is longer; `limit_by` says which. `cost` is what
    the workload must do at least; older receipts have none.
    """

    workload: str
    status: Status
    reason: str = ""
    error: float | None = None
    budget: float | None = None
    rounds: int = 0
    checked: int = 0
    discarded: int = 0
    device: Timing | None = None
    call: Timing | None = None
    allocation_us: float | None = None
    floor: Floor | None = None
    fraction: float | None = None
    limit: Timing | None = None
    limit_by: str = ""
    notes: tuple[str, ...] = ()
    cost: Cost | None = None

    def __post_init__(self) -> None:
        if self.status is not Status.CORRECT and (self.device or self.call):
            raise ValueError(f"{self.workload}: a {self.status} outcome cannot hold a time")

    @property
    def disputed(self) -> str | None:
        """What is said of a time that the device's clock and the judge's do not agree on."""
        return next((note for note in self.notes if NOT_BORNE_OUT in note), None)

    @property
    def left_us(self) -> float | None:
        """Microseconds between the device time and the floor."""
        if self.device is None or self.floor is None:
            return None
        return self.device.median_us - self.floor.us

    @property
    def of_limit(self) -> float | None:
        """The limit over the device time; may pass 1."""
        if self.device is None or self.limit is None:
            return None
        return self.limit.median_us / self.device.median_us


@dataclass(frozen=True)
class Judgement:
    """The judge's answer for one rung. `status` is the worst of its outcomes; `returns` says
    whether the rung fills a buffer it is given (`out`), returns a new one or works in place."""

    problem: str
    rung: str
    device: str
    status: Status
    reason: str
    outcomes: tuple[Outcome, ...]
    source_sha256: str
    returns: str = "out"
    machine: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def correct(self) -> bool:
        return self.status is Status.CORRECT
