"""Telemetry: once a second what each device does, into the book.

NVIDIA GPUs through NVML; without one, the CPU from /proc. One sampler a book: the next worker's
waits until the lock is free. Whatever a device does not tell is left empty.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warpbook.book import telemetry
from warpbook.book.book import Book
from warpbook.book.leases import WORKERS
from warpbook.book.processes import lock_file
from warpbook.core import machine
from warpbook.core.errors import Missing

EVERY_S = 1.0
WRITE_S = 2.0
THIN_S = 60.0
TRY_S = 30.0
PROC = Path("/proc")
THERMAL = Path("/sys/class/thermal/thermal_zone0/temp")
ENERGY = Path("/sys/class/powercap/intel-rapl:0/energy_uj")
TICKS = os.sysconf("SC_CLK_TCK")
BUSY_SHARE = 0.05  # of a core: processes below are not listed
LISTED = 8

Sample = dict[str, Any]


class Sampler(threading.Thread):
    def __init__(self, book: Book) -> None:
        super().__init__(name="telemetry", daemon=True)
        self.book = book
        self._ended = threading.Event()

    def run(self) -> None:
        path = self.book.folder / WORKERS / "telemetry.lock"
        lock = lock_file(path)
        while lock is None:
            if self._ended.wait(TRY_S):
                return
            lock = lock_file(path)
        try:
            self._sample()
        finally:
            os.close(lock)

    def _sample(self) -> None:
        read = readers()
        kept: list[Sample] = []
        last = written = time.time()
        thinned = 0.0
        while not self._ended.wait(EVERY_S):
            now = time.time()
            span = min(max(now - last, 0.001), 10 * EVERY_S)
            kept += [{"at": now, "span_s": span, **sample} for one in read for sample in one()]
            last = now
            if now - written >= WRITE_S:
                kept, written = self._write(kept), now
            if now - thinned >= THIN_S:
                thinned = self._thin(now, thinned)
        self._write(kept)

    def _write(self, kept: list[Sample]) -> list[Sample]:
        """What could not be written stays for the next time, up to a minute of it."""
        try:
            telemetry.record(self.book, kept)
        except Missing:
            return kept[-60:]
        return []

    def _thin(self, now: float, last: float) -> float:
        try:
            telemetry.thin(self.book, now, last)
        except Missing:
            return last
        return now

    def end(self) -> None:
        self._ended.set()
        self.join()


def readers() -> list[Callable[[], list[Sample]]]:
    """One for the GPUs, or one for the CPU."""
    try:
        gpus = machine.listed_gpus()
    except (Missing, ModuleNotFoundError):
        gpus = []
    return [GpuReader([uuid for uuid, _ in gpus])] if gpus else [CpuReader()]


class GpuReader:
    def __init__(self, uuids: list[str]) -> None:
        self.nv = machine.nvml()
        self.handles = {uuid: self.nv.nvmlDeviceGetHandleByUUID(uuid) for uuid in uuids}

    def __call__(self) -> list[Sample]:
        return [self.sample(uuid, handle) for uuid, handle in self.handles.items()]

    def sample(self, uuid: str, handle: Any) -> Sample:
        nv, ask = self.nv, self.ask
        utilisation = ask(lambda: nv.nvmlDeviceGetUtilizationRates(handle).gpu / 100)
        memory = ask(lambda: nv.nvmlDeviceGetMemoryInfo(handle))
        processes = ask(lambda: nv.nvmlDeviceGetComputeRunningProcesses(handle)) or []
        return {
            "device": uuid,
            "utilisation": utilisation,
            "memory_bytes": memory and memory.used,
            "memory_total_bytes": memory and memory.total,
            "clock_mhz": ask(lambda: nv.nvmlDeviceGetClockInfo(handle, nv.NVML_CLOCK_SM)),
            "memory_clock_mhz": ask(lambda: nv.nvmlDeviceGetClockInfo(handle, nv.NVML_CLOCK_MEM)),
            "power_w": ask(lambda: nv.nvmlDeviceGetPowerUsage(handle) / 1000),
            "temperature_c": ask(
                lambda: nv.nvmlDeviceGetTemperature(handle, nv.NVML_TEMPERATURE_GPU)
            ),
            "processes": [{"pid": p.pid, "memory_bytes": p.usedGpuMemory or 0} for p in processes],
        }

    def ask(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except self.nv.NVMLError:
            return None


class CpuReader:
    """Shares are of the time since the last call."""

    def __init__(self) -> None:
        self.busy, self.total = cpu_ticks()
        self.seconds = process_seconds()
        self.energy = number(ENERGY)
        self.at = time.monotonic()

    def __call__(self) -> list[Sample]:
        busy, total = cpu_ticks()
        energy, at = number(ENERGY), time.monotonic()
        seconds = process_seconds()
        span = max(at - self.at, 1e-3)
        memory = meminfo()
        temperature = number(THERMAL)
        sample = {
            "device": "cpu",
            "utilisation": (busy - self.busy) / max(total - self.total, 1),
            "memory_bytes": memory["MemTotal"] - memory["MemAvailable"],
            "memory_total_bytes": memory["MemTotal"],
            "clock_mhz": cpu_mhz(),
            "memory_clock_mhz": None,
            "power_w": power(self.energy, energy, span),
            "temperature_c": None if temperature is None else temperature / 1000,
            "processes": busiest(self.seconds, seconds, span),
        }
        self.busy, self.total, self.energy, self.seconds, self.at = busy, total, energy, seconds, at
        return [sample]


def cpu_ticks() -> tuple[int, int]:
    """Busy and all, over all cores since the start."""
    words = (PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]
    ticks = [int(word) for word in words]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def process_seconds() -> dict[int, float]:
    """CPU time of every process so far."""
    found = {}
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(folder.name)] = (int(words[11]) + int(words[12])) / TICKS
    return found


def busiest(before: dict[int, float], after: dict[int, float], span: float) -> list[Sample]:
    shares = {pid: (seconds - before.get(pid, 0.0)) / span for pid, seconds in after.items()}
    top = sorted(shares, key=lambda pid: -shares[pid])[:LISTED]
    busy = [pid for pid in top if shares[pid] > BUSY_SHARE]
    return [{"pid": pid, "memory_bytes": memory_of(pid)} for pid in busy]


def memory_of(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def meminfo() -> dict[str, int]:
    lines = (PROC / "meminfo").read_text().splitlines()
    return {
        name: int(rest.split()[0]) * 1024 for name, _, rest in (x.partition(":") for x in lines)
    }


def cpu_mhz() -> float | None:
    """The mean over the cores, as far as the kernel tells."""
    lines = (PROC / "cpuinfo").read_text().splitlines()
    found = [float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")]
    return sum(found) / len(found) if found else None


def power(before: float | None, after: float | None, span: float) -> float | None:
    """Watts from a counter of microjoules, which starts over now and then."""
    if before is None or after is None or after < before:
        return None
    return (after - before) / 1e6 / span


def number(path: Path) -> float | None:
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None
