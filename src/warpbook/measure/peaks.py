"""Theoretical peaks: what no kernel on this device can exceed, from its clocks and widths alone.

Used only to call a time impossible, so a peak may be too high but never too low. What a device
reaches in fact is in roofs.py.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warpbook.core.cost import UNITS
from warpbook.core.errors import Missing
from warpbook.core.machine import nvml, nvml_handle
from warpbook.core.roofs import Peaks
from warpbook.measure.device import (
    DeviceFacts,
    cuda_properties,
    device_facts,
    last_level_cache_bytes,
)

# Operations per clock and multiprocessor by compute capability, dense, a multiply-add being two:
# fp32, fp64 (on the matrix unit where it has one), then the matrix unit's tf32, bf16, fp16 and fp8,
# with the faster accumulator. Zero: there is no such unit.
PER_CLOCK = {
    "7.0": (128, 64, 0, 0, 1024, 0),
    "7.5": (128, 4, 0, 0, 1024, 0),
    "8.0": (128, 128, 1024, 2048, 2048, 0),
    "8.6": (256, 4, 512, 1024, 1024, 0),
    "8.7": (256, 4, 1024, 2048, 2048, 0),
    "8.9": (256, 4, 512, 1024, 1024, 2048),
    "9.0": (256, 256, 2048, 4096, 4096, 8192),
    "10.0": (256, 128, 4096, 8192, 8192, 16384),
    "10.3": (256, 4, 4096, 8192, 8192, 16384),
    "12.0": (256, 4, 512, 1024, 1024, 2048),
    "12.1": (256, 4, 512, 1024, 1024, 2048),
}

# Where a GPU does not tell its memory's clock or width (a slice of one, say): above any there is.
UNKNOWN_BYTES_PER_S = 1e14
# HBM stacks are 1024 bits wide; no other memory on a GPU is wider than 512.
HBM_STACK_BITS = 1024

# Two 64-byte loads a cycle are the most that any core takes from even its first cache.
CPU_BYTES_PER_CLOCK = 128
# The widest matrix unit of a core does 2048 half-precision operations a cycle (AMX does 1024).
# fp32 and fp64 can be put together from its products, from two and four of them at the very least.
CPU_PER_CLOCK = {"fp32": 1024, "fp64": 512, "bf16 matrix": 2048, "fp16 matrix": 2048}
# Above every core sold; some kernels report the clock without its boost, and virtual ones none.
CPU_CLOCK_HZ = 6e9


def peaks_of(device: str) -> Peaks:
    facts = device_facts(device)
    return cuda_peaks(facts) if device == "cuda" else cpu_peaks()


def cpu_peaks() -> Peaks:
    """No portable way tells a CPU's memory peak, so this bounds what all its cores could load:
    far above any memory, but it needs no knowledge of the machine and convicts nobody. All cores
    count, whatever the affinity, since a child may widen its own."""
    cores = os.cpu_count() or 1
    clocks_per_s = cores * max(CPU_CLOCK_HZ, cpufreq_hz())
    return Peaks(
        bytes_per_s=CPU_BYTES_PER_CLOCK * clocks_per_s,
        rates={unit: each * clocks_per_s for unit, each in CPU_PER_CLOCK.items()},
        cache_bytes=last_level_cache_bytes(range(cores)),
    )


def cpufreq_hz(root: Path = Path("/sys/devices/system/cpu")) -> float:
    """The highest clock any CPU reports, or 0."""
    readings = []
    for file in root.glob("cpu[0-9]*/cpufreq/cpuinfo_max_freq"):
        try:
            readings.append(float(file.read_text()) * 1e3)
        except (OSError, ValueError):
            continue
    return max(readings, default=0.0)


def cuda_peaks(facts: DeviceFacts) -> Peaks:
    sm_hz, memory_hz, bus_bits = clocks()
    return Peaks(
        bytes_per_s=memory_bytes_per_s(memory_hz, bus_bits),
        rates=matrix_rates(facts.capability, facts.cores * sm_hz),
        cache_bytes=facts.cache_bytes,
    )


def memory_bytes_per_s(memory_hz: float, bus_bits: float) -> float:
    """Two transfers a clock. NVML gives the bus of an H200, which has six stacks of HBM, as 6016
    bits: 4.82 TB/s, where whole stacks make 4.92. Whole stacks are counted, to be never too low."""
    if bus_bits > HBM_STACK_BITS / 2:
        bus_bits = -(-bus_bits // HBM_STACK_BITS) * HBM_STACK_BITS
    return 2 * memory_hz * bus_bits / 8 or UNKNOWN_BYTES_PER_S


def matrix_rates(capability: str | None, clocks_per_s: float) -> dict[str, float]:
    """Empty for a capability that is not in the table. fp32 and fp64 are raised to what can be put
    together from narrow products on the matrix unit: three of bf16 hold a float32, and fifteen or
    so of 8 bits, each at twice the half-precision rate, a float64."""
    per_clock = PER_CLOCK.get(capability or "")
    if per_clock is None or not clocks_per_s:
        return {}
    fp32, fp64, tf32, bf16, fp16, fp8 = per_clock
    raised = (max(fp32, fp16 // 2), max(fp64, fp16 // 4), tf32, bf16, fp16, fp8)
    return {unit: each * clocks_per_s for unit, each in zip(UNITS, raised, strict=True) if each}


def clocks() -> tuple[float, float, float]:
    """The highest SM and memory clocks in Hz and the bus width in bits, each the larger of what
    torch and NVML say; 0 where neither does."""
    properties = cuda_properties()
    known = [
        (
            1e3 * getattr(properties, "clock_rate", 0),
            1e3 * getattr(properties, "memory_clock_rate", 0),
            float(getattr(properties, "memory_bus_width", 0)),
        ),
        nvml_clocks(),
    ]
    sm_hz, memory_hz, bus_bits = (max(values) for values in zip(*known, strict=True))
    return sm_hz, memory_hz, bus_bits


def nvml_clocks() -> tuple[float, float, float]:
    try:
        nv, handle = nvml(), nvml_handle()
    except (ModuleNotFoundError, Missing):
        return 0.0, 0.0, 0.0

    def highest(asks: Sequence[tuple[Any, ...]]) -> float:
        answers = [0.0]
        for call, *arguments in asks:
            try:
                answers.append(float(call(handle, *arguments)))
            except nv.NVMLError:
                continue
        return max(answers)

    # The clock of the moment too: one raised by hand may pass the highest that is declared.
    clock_of = (nv.nvmlDeviceGetMaxClockInfo, nv.nvmlDeviceGetClockInfo)
    sm_mhz = highest([(call, nv.NVML_CLOCK_SM) for call in clock_of])
    memory_mhz = highest([(call, nv.NVML_CLOCK_MEM) for call in clock_of])
    return 1e6 * sm_mhz, 1e6 * memory_mhz, highest([(nv.nvmlDeviceGetMemoryBusWidth,)])
