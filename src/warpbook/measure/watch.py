"""Watching the machine while it measures: slowdowns, clocks, and other users of the device.

Readings are taken between rounds, and `assess` alone decides what they mean. Knows nothing of what
is being measured.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from warpbook.core.errors import Missing
from warpbook.core.machine import nvml, nvml_handle

# NVML's bits for why the clocks are not at their highest.
SOFTWARE_POWER_CAP = 0x04
SLOWDOWNS = {
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}
# Above this share of all cores' time, other processes leave nothing honest to measure; below it
# they only widen the interval.
CROWDED = 0.75
# The kernel counts in 10 ms; a shorter window says nothing about shares.
SHORTEST_S = 0.1


@dataclass(frozen=True)
class Process:
    """The name is None where /proc does not show the process: it is gone, or elsewhere."""

    pid: int
    name: str | None


@dataclass(frozen=True)
class GpuReading:
    """What the device does not tell is None; `foreign` is None where our own processes cannot be
    told from others."""

    sm_clock_mhz: int | None
    mem_clock_mhz: int | None
    reasons: int | None
    temperature_c: int | None
    power_w: float | None
    foreign: tuple[Process, ...] | None


@dataclass(frozen=True)
class CpuReading:
    """Shares of the time of all cores this process may use, since the reading before."""

    seconds: float
    other_share: float
    own_share: float
    steal_share: float


Reading: TypeAlias = GpuReading | CpuReading


class Machine(NamedTuple):
    """How the machine was: why nothing could be measured on it, or None; and what to record."""

    invalid: str | None
    summary: dict[str, Any]


def assess(readings: Sequence[Reading]) -> Machine:
    gpu = [reading for reading in readings if isinstance(reading, GpuReading)]
    cpu = [reading for reading in readings if isinstance(reading, CpuReading)]
    if gpu:
        return assess_gpu(gpu)
    if cpu:
        return assess_cpu(cpu)
    return Machine(None, {"watch": "not watched: no reading was taken"})


def assess_gpu(readings: Sequence[GpuReading]) -> Machine:
    reasons = 0
    for reading in readings:
        reasons |= reading.reasons or 0
    slowdowns = [name for bit, name in SLOWDOWNS.items() if reasons & bit]
    others = other_processes(readings)
    hidden = any(reading.foreign is None for reading in readings)
    summary: dict[str, Any] = {
        "watch": "gpu",
        "readings": len(readings),
        "sm_clock_mhz": mean([r.sm_clock_mhz for r in readings]),
        "mem_clock_mhz": mean([r.mem_clock_mhz for r in readings]),
        "power_w": mean([r.power_w for r in readings]),
        "temperature_c": max((r.temperature_c for r in readings if r.temperature_c), default=None),
        "power_capped": bool(reasons & SOFTWARE_POWER_CAP),
        "slowdowns": slowdowns,
        "other_processes": "not watched: another process namespace hides our own"
        if hidden and not others
        else [f"{p.name or 'unseen'} ({p.pid})" for p in others],
    }
    if slowdowns:
        return Machine(f"the GPU was slowed down: {', '.join(slowdowns)}", summary)
    if others:
        names = ", ".join(summary["other_processes"])
        return Machine(f"another process uses the GPU: {names}", summary)
    return Machine(None, summary)


def other_processes(readings: Sequence[GpuReading]) -> list[Process]:
    """Every foreign process that /proc shows, and one it does not show only when it stays: a child
    of our own that has just died lingers in NVML's list for a moment."""
    seen: dict[Process, int] = {}
    for reading in readings:
        for process in reading.foreign or ():
            seen[process] = seen.get(process, 0) + 1
    return [process for process, times in seen.items() if process.name or times > 1]


def assess_cpu(readings: Sequence[CpuReading]) -> Machine:
    seconds = sum(reading.seconds for reading in readings)
    if seconds < SHORTEST_S:
        return Machine(None, {"watch": f"not watched: {seconds:.2f} s is too short to tell"})
    other_share = sum(r.other_share * r.seconds for r in readings) / seconds
    summary = {
        "watch": "cpu",
        "readings": len(readings),
        "seconds": round(seconds, 2),
        "other_share": round(other_share, 3),
        "own_share": round(sum(r.own_share * r.seconds for r in readings) / seconds, 3),
        "steal_share": round(sum(r.steal_share * r.seconds for r in readings) / seconds, 3),
    }
    if other_share > CROWDED:
        return Machine(f"other processes used {other_share:.0%} of the CPU", summary)
    return Machine(None, summary)


def mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 1) if known else None


class Source(Protocol):
    def read(self) -> Reading | None: ...


class Watch:
    """`own` gives the process ids that are ours; by default this process and its descendants."""

    def __init__(self, device: str, own: Callable[[], set[int]] | None = None) -> None:
        self._device = device
        self._own = own or own_tree
        self._source: Source | None = None
        self._readings: list[Reading] = []
        self._blind = ""

    def start(self) -> None:
        self._readings = []
        try:
            self._source = Gpu(self._own) if self._device == "cuda" else Cpu(self._own)
        except ModuleNotFoundError:
            self._blind = "nvidia-ml-py is not installed"
        except Missing as error:
            self._blind = str(error)
        self.sample()

    def sample(self) -> None:
        reading = self._source.read() if self._source else None
        if reading is not None:
            self._readings.append(reading)

    def stop(self) -> Machine:
        if self._source is None:
            return Machine(None, {"watch": f"not watched: {self._blind}"})
        self.sample()
        self._source = None
        return assess(self._readings)


class Gpu:
    """Reads NVML: about 100 us a reading."""

    def __init__(self, own: Callable[[], set[int]]) -> None:
        self._own = own
        self._nvml = nvml()
        self._handle = nvml_handle()

    def read(self) -> GpuReading:
        nv, handle = self._nvml, self._handle
        power_mw = self._ask(nv.nvmlDeviceGetPowerUsage, handle)
        return GpuReading(
            sm_clock_mhz=self._ask(nv.nvmlDeviceGetClockInfo, handle, nv.NVML_CLOCK_SM),
            mem_clock_mhz=self._ask(nv.nvmlDeviceGetClockInfo, handle, nv.NVML_CLOCK_MEM),
            # The name from before "event reasons": every driver and binding still has it.
            reasons=self._ask(nv.nvmlDeviceGetCurrentClocksThrottleReasons, handle),
            temperature_c=self._ask(nv.nvmlDeviceGetTemperature, handle, nv.NVML_TEMPERATURE_GPU),
            power_w=None if power_mw is None else power_mw / 1000,
            foreign=self._foreign(),
        )

    def _foreign(self) -> tuple[Process, ...] | None:
        listed = self._ask(self._nvml.nvmlDeviceGetComputeRunningProcesses, self._handle)
        if listed is None:
            return None
        return foreign_processes({process.pid for process in listed}, self._own(), in_use())

    def _ask(self, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except self._nvml.NVMLError:
            return None


def foreign_processes(
    listed: set[int], own: set[int], we_use_it: bool
) -> tuple[Process, ...] | None:
    """The listed processes that are not ours, or None where the list is of another process
    namespace: we use the device, and yet are not on it."""
    if we_use_it and not listed & own:
        return None
    return tuple(Process(pid, process_name(pid)) for pid in sorted(listed - own))


def in_use() -> bool:
    """Whether this very process holds a CUDA context."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())


def process_name(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


class Cpu:
    """Reads the kernel's counters; a reading covers the time since the one before."""

    def __init__(self, own: Callable[[], set[int]]) -> None:
        self._own = own
        self._cpus = os.sched_getaffinity(0)
        self._before = self._counters()

    def read(self) -> CpuReading | None:
        if time.monotonic() - self._before.at_s < SHORTEST_S:
            return None
        before, now = self._before, self._counters()
        total = now.total - before.total
        if total <= 0:
            return None
        self._before = now
        own = max(0, now.own - before.own)
        return CpuReading(
            seconds=now.at_s - before.at_s,
            other_share=max(0, now.busy - before.busy - own) / total,
            own_share=own / total,
            steal_share=(now.steal - before.steal) / total,
        )

    def _counters(self) -> "Counters":
        own = sum(map(process_ticks, self._own()))
        rows = [row for row in map(str.split, read_lines("/proc/stat")) if row]
        wanted = {f"cpu{cpu}" for cpu in self._cpus}
        ticks = [[int(cell) for cell in row[1:9]] for row in rows if row[0] in wanted]
        idle = sum(row[3] + row[4] for row in ticks)
        steal = sum(row[7] for row in ticks)
        total = sum(map(sum, ticks))
        return Counters(time.monotonic(), total, total - idle - steal, steal, own)


@dataclass(frozen=True)
class Counters:
    """Ticks since the machine started, over the CPUs this process may run on."""

    at_s: float
    total: int
    busy: int
    steal: int
    own: int


def read_lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def stat_fields(pid: int | str) -> list[str]:
    """/proc/PID/stat from the state on; the name before it may hold spaces and brackets."""
    lines = read_lines(f"/proc/{pid}/stat")
    return lines[0].rpartition(")")[2].split() if lines else []


def process_ticks(pid: int) -> int:
    """User and system time of a process and of the children it has waited for, so that a child's
    time stays in the sum when the child ends."""
    fields = stat_fields(pid)
    return sum(map(int, fields[11:15])) if len(fields) > 14 else 0


def own_tree(root: int | None = None) -> set[int]:
    """A process, by default this one, and all its living descendants."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = stat_fields(entry)
            if len(fields) > 1:
                children.setdefault(int(fields[1]), []).append(int(entry))
    found: set[int] = set()
    waiting = [root or os.getpid()]
    while waiting:
        pid = waiting.pop()
        found.add(pid)
        waiting.extend(children.get(pid, ()))
    return found
