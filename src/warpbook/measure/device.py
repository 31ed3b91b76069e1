"""The device under measurement: its sizes and widths, some of which only torch can tell.

Imports torch only where a fact is torch's to give. Which device it is, and what can be told of it
without torch, is in `core.machine`. Knows nothing of problems or of timing.
"""

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from warpbook.core.errors import Missing
from warpbook.core.machine import cpu_name, driver_version, surroundings

# Where neither /sys nor the C library knows: more than most desktops have, and quick to flush.
UNKNOWN_CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True)
class DeviceFacts:
    """`cache_bytes` is L2 on a GPU and the last level on a CPU; `cores` are multiprocessors on a
    GPU and the CPUs this process may run on. The driver of a CPU is its kernel."""

    name: str
    kind: str
    uuid: str
    driver: str
    cache_bytes: int
    memory_bytes: int
    capability: str | None
    cores: int


def torch_uuid() -> str:
    uuid = str(cuda_properties().uuid)
    return uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"


def cuda_properties() -> Any:
    """What torch says of the device; Missing where torch cannot use it."""
    import torch

    if not torch.cuda.is_available():
        build = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "without CUDA"
        raise Missing(
            f"torch {torch.__version__}, {build}, sees no CUDA device; --device cpu works here"
        )
    return torch.cuda.get_device_properties(0)


@cache
def device_facts(device: str) -> DeviceFacts:
    if device == "cuda":
        return cuda_facts()
    cpus = os.sched_getaffinity(0)
    return DeviceFacts(
        name=cpu_name(),
        kind="cpu",
        uuid="cpu",
        driver=platform.release(),
        cache_bytes=last_level_cache_bytes(cpus),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        capability=None,
        cores=len(cpus),
    )


def cuda_facts() -> DeviceFacts:
    properties = cuda_properties()
    return DeviceFacts(
        name=properties.name,
        kind="cuda",
        uuid=torch_uuid(),
        driver=driver_version(),
        cache_bytes=properties.L2_cache_size,
        memory_bytes=properties.total_memory,
        capability=f"{properties.major}.{properties.minor}",
        cores=properties.multi_processor_count,
    )


def last_level_cache_bytes(
    cpus: Iterable[int], root: Path = Path("/sys/devices/system/cpu")
) -> int:
    """All last-level caches these CPUs reach: some parts have one for every few cores."""
    caches: dict[str, int] = {}
    for cpu in cpus:
        levels: dict[int, tuple[str, int]] = {}
        for index in (root / f"cpu{cpu}" / "cache").glob("index*"):
            try:
                size = (index / "size").read_text().strip()
                level = int((index / "level").read_text())
                shared = (index / "shared_cpu_list").read_text().strip()
            except (OSError, ValueError):
                continue
            levels[level] = (shared, cache_size(size))
        if levels:
            shared, size_bytes = levels[max(levels)]
            caches[shared] = size_bytes
    return sum(caches.values()) or sysconf_cache_bytes() or UNKNOWN_CACHE_BYTES


def cache_size(text: str) -> int:
    """The kernel writes `266240K`."""
    unit = {"K": 2**10, "M": 2**20}.get(text[-1:], 1)
    digits = text.rstrip("KM")
    return int(digits) * unit if digits.isdigit() else 0


def sysconf_cache_bytes() -> int:
    names = ("SC_LEVEL3_CACHE_SIZE", "SC_LEVEL2_CACHE_SIZE")
    return next((os.sysconf(n) for n in names if n in os.sysconf_names and os.sysconf(n) > 0), 0)


def environment(device: str) -> dict[str, str]:
    """What a receipt says of where it was measured."""
    facts = device_facts(device)
    return surroundings(facts.name, facts.uuid, facts.driver)
