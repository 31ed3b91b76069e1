"""The device's own clock: when each kernel, copy and fill of this process began and ended.

Reads CUPTI through the profiler inside torch. `torch.profiler` itself is left alone: its first
start imports all of inductor, 4.6 s on an H200 host, where this takes a millisecond.
"""

from dataclasses import dataclass
from typing import Any

from torch.autograd import DeviceType
from torch.autograd.profiler import profile


@dataclass(frozen=True)
class Activity:
    """Start and end are nanoseconds of the host's real-time clock (`time.time_ns`)."""

    name: str
    start_ns: int
    end_ns: int


class KernelClock:
    def __init__(self) -> None:
        self._profile: Any = None

    def start(self) -> None:
        self._profile = profile(use_cpu=False, use_device="cuda", use_kineto=True)
        self._profile.__enter__()

    def stop(self) -> list[Activity]:
        """Everything the device did since `start`, on all streams, in order of its start."""
        self._profile.__exit__(None, None, None)
        events = self._profile.kineto_results.events()
        self._profile = None
        activities = [
            Activity(e.name(), e.start_ns(), e.start_ns() + e.duration_ns())
            for e in events
            if e.device_type() == DeviceType.CUDA
        ]
        return sorted(activities, key=lambda activity: activity.start_ns)
