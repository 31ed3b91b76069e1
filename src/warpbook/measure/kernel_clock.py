"""The device's own clock: when each kernel, copy and fill of this process began and ended.

Reads CUPTI through the profiler inside torch. `torch.profiler` itself is left alone: its first
start imports all of inductor, 4.6 s on an H200 host, where with this a child starts in 0.4 s.
"""

from dataclasses import dataclass

from torch._C._autograd import DeviceType, _disable_profiler, _enable_profiler, _prepare_profiler
from torch.autograd.profiler import profile


@dataclass(frozen=True)
class Activity:
    """Start and end are nanoseconds of the host's real-time clock (`time.time_ns`)."""

    name: str
    start_ns: int
    end_ns: int


class KernelClock:
    """What it calls is bound when it is made: in a child that is before the candidate comes."""

    def __init__(self) -> None:
        self._prepare = _prepare_profiler
        self._enable = _enable_profiler
        self._disable = _disable_profiler
        template = profile(use_cpu=False, use_device="cuda", use_kineto=True)
        self._config = template.config(create_trace_id=True)  # type: ignore[no-untyped-call]
        self._activities = template.kineto_activities

    def start(self) -> None:
        self._prepare(self._config, self._activities)
        self._enable(self._config, self._activities)

    def stop(self) -> list[Activity]:
        """Everything the device did since `start`, on all streams, in order of its start."""
        activities = [
            Activity(e.name(), e.start_ns(), e.start_ns() + e.duration_ns())
            for e in self._disable().events()
            if e.device_type() == DeviceType.CUDA
        ]
        return sorted(activities, key=lambda activity: activity.start_ns)

    def save(self, path: str) -> None:
        """Stop, and write what there is to know of each kernel as a Chrome trace."""
        self._disable().save(path)
