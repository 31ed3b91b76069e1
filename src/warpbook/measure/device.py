"""The device under measurement: which one, what it is, and the software around it.

Imports torch only where a fact is torch's to give. Knows nothing of problems or of timing. One CUDA
device is used, the first that CUDA_VISIBLE_DEVICES leaves visible.
"""

import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import warpbook
from warpbook.core.errors import BadInput, Missing

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


def choose_device(asked: str | None) -> str:
    """`asked` if it is usable here, or the best there is. Does not import torch."""
    if asked not in (None, "cpu", "cuda"):
        raise BadInput(
            f"no device {asked!r}: give cpu or cuda; CUDA_VISIBLE_DEVICES picks among several GPUs"
        )
    if asked == "cpu":
        return "cpu"
    reason = why_no_cuda()
    if reason is None:
        return "cuda"
    if asked == "cuda":
        raise Missing(f"no CUDA device: {reason}; --device cpu works here")
    return "cpu"


def why_no_cuda() -> str | None:
    """What keeps CUDA from being used here, as far as can be told without torch."""
    entry = visible_entry()
    if entry is not None and not (entry.isdigit() or entry.startswith(("GPU-", "MIG-"))):
        return "CUDA_VISIBLE_DEVICES hides every GPU"
    try:
        pick_uuid(listed_gpus(), entry, in_bus_order=True)
    except ModuleNotFoundError:
        if not any(Path("/dev").glob("nvidia[0-9]*")) or not Path("/proc/driver/nvidia").is_dir():
            return "there is no NVIDIA GPU with a driver on this machine"
    except Missing as error:
        return str(error)
    if version("torch").endswith("+cpu"):
        return f"torch {version('torch')} is built without CUDA"
    return None


def visible_entry() -> str | None:
    """The first entry of CUDA_VISIBLE_DEVICES, or None where it is not set."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    return None if listed is None else listed.split(",")[0].strip()


@cache
def nvml() -> Any:
    """NVIDIA's management library, started once; ModuleNotFoundError where its binding is not
    installed, Missing where it is but finds no driver."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise Missing(f"no NVIDIA driver answers ({error})") from None
    return pynvml


def nvml_handle() -> Any:
    """NVML's handle of the device that is measured."""
    nv, uuid = nvml(), visible_uuid()
    try:
        return nv.nvmlDeviceGetHandleByUUID(uuid)
    except nv.NVMLError as error:
        raise Missing(f"the NVIDIA driver does not know {uuid} ({error})") from None


def visible_uuid() -> str:
    """The UUID of the first visible GPU: NVML's where it can tell, or else torch's."""
    try:
        listed = listed_gpus()
    except ModuleNotFoundError:
        return torch_uuid()
    in_bus_order = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    return pick_uuid(listed, visible_entry(), in_bus_order) or torch_uuid()


def listed_gpus() -> list[tuple[str, str]]:
    """UUID and name of every GPU that NVML sees, in its order."""
    nv = nvml()
    try:
        handles = [nv.nvmlDeviceGetHandleByIndex(i) for i in range(nv.nvmlDeviceGetCount())]
        return [(nv.nvmlDeviceGetUUID(h), nv.nvmlDeviceGetName(h)) for h in handles]
    except nv.NVMLError as error:
        raise Missing(f"the NVIDIA driver cannot list its GPUs ({error})") from None


def pick_uuid(
    listed: Sequence[tuple[str, str]], entry: str | None, in_bus_order: bool
) -> str | None:
    """Which of the GPUs that NVML lists (UUID and name) an entry of CUDA_VISIBLE_DEVICES means.
    None: only CUDA knows, as it numbers unlike GPUs fastest first and NVML goes by bus."""
    entry = entry or "0"
    if entry.startswith("MIG-"):
        return entry
    if not entry.isdigit():
        uuid = next((uuid for uuid, _ in listed if uuid.startswith(entry)), None)
        if uuid is None:
            raise Missing(f"CUDA_VISIBLE_DEVICES names {entry}, which is not here")
        return uuid
    if not listed:
        raise Missing("the NVIDIA driver lists no GPU")
    if int(entry) >= len(listed):
        raise Missing(f"CUDA_VISIBLE_DEVICES names GPU {entry}, and there are {len(listed)}")
    alike = len({name for _, name in listed}) == 1
    return listed[int(entry)][0] if alike or in_bus_order else None


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


def driver_version() -> str:
    try:
        return str(nvml().nvmlSystemGetDriverVersion())
    except (ModuleNotFoundError, Missing):
        pass
    try:
        words = Path("/proc/driver/nvidia/version").read_text().split()
    except OSError:
        return "unknown"
    return next((word for word in words if word.count(".") >= 1 and word[0].isdigit()), "unknown")


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name" and value.strip():
            return " ".join(value.split())
    return platform.processor() or platform.machine()


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
    import torch

    facts = device_facts(device)
    return {
        "device": facts.name,
        "uuid": facts.uuid,
        "driver": facts.driver,
        "torch": str(torch.__version__),
        "triton": version("triton"),
        "python": platform.python_version(),
        "cuda": torch.version.cuda or "none",
        "platform": " ".join([platform.system(), platform.machine(), *platform.libc_ver()]),
        "warpbook": warpbook.__version__,
    }


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"
