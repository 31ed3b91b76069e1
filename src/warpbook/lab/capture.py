"""What it takes to repeat a run: packages, driver, device and clocks, chosen environment variables,
the command, its files by content, and the state of the repository around it.

Of the environment only what is on the list is read, and of that nothing that looks like a key.
"""

import hashlib
import importlib.metadata
import os
import platform
import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warpbook.book.exchange.secrets import scan
from warpbook.book.run_folder import SOURCES
from warpbook.core import machine
from warpbook.core.command import named_files
from warpbook.core.errors import WarpbookError
from warpbook.core.run import Plan
from warpbook.lab import repository

PREFIXES = ("CUDA_", "TORCH_", "TRITON_", "OMP_")
NAMES = ("PATH",)
PRIVATE_NAMES = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "APIKEY")
LEFT_OUT = "left out: looks like a key"
LARGEST_COPY = 1 << 20
LARGEST_HASH = 1 << 28


def capture(plan: Plan, line: Sequence[str], folder: Path) -> dict[str, Any]:
    """Leaves the uncommitted changes and small source files in `folder`."""
    cwd = Path(plan.cwd or folder)
    return {
        "host": socket.gethostname(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "cwd": str(cwd),
        "line": list(line),
        "repository": repository.state(cwd, folder) if plan.cwd else None,
        "packages": packages(),
        "device": device(plan.device),
        "variables": variables(plan.variables, os.environ),
        "sources": sources(plan, cwd, folder),
    }


def packages() -> dict[str, str]:
    found = {}
    for each in importlib.metadata.distributions():
        name = each.metadata["Name"]
        if name:
            found[name] = each.version
    return dict(sorted(found.items()))


def variables(more: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for name, value in sorted(environment.items()):
        if not (name.startswith(PREFIXES) or name in NAMES or name in more):
            continue
        private = any(word in name.upper() for word in PRIVATE_NAMES)
        found[name] = LEFT_OUT if private or scan([(name, f"{name}={value}")]) else value
    return found


def device(kind: str) -> dict[str, Any]:
    if kind == "cuda":
        return gpu()
    return {"name": machine.cpu_name(), "driver": platform.release(), "clocks": cpu_clocks()}


def gpu() -> dict[str, Any]:
    try:
        nv, handle = machine.nvml(), machine.nvml_handle()
    except (WarpbookError, ModuleNotFoundError) as error:
        return {"note": f"NVML does not answer: {error}"}
    reads = {
        "name": lambda: nv.nvmlDeviceGetName(handle),
        "uuid": lambda: nv.nvmlDeviceGetUUID(handle),
        "driver": nv.nvmlSystemGetDriverVersion,
        "clock_mhz": lambda: nv.nvmlDeviceGetClockInfo(handle, nv.NVML_CLOCK_SM),
        "clock_max_mhz": lambda: nv.nvmlDeviceGetMaxClockInfo(handle, nv.NVML_CLOCK_SM),
        "memory_clock_mhz": lambda: nv.nvmlDeviceGetClockInfo(handle, nv.NVML_CLOCK_MEM),
        "power_limit_w": lambda: nv.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000,
    }
    found: dict[str, Any] = {}
    for name, read in reads.items():
        try:
            found[name] = read()
        except nv.NVMLError as error:
            found[name] = f"not told: {error}"
    return found


def cpu_clocks() -> dict[str, str]:
    folder = Path("/sys/devices/system/cpu/cpu0/cpufreq")
    found = {}
    for name in ("scaling_governor", "scaling_cur_freq", "cpuinfo_max_freq"):
        try:
            found[name] = (folder / name).read_text().strip()
        except OSError:
            continue
    return found


def sources(plan: Plan, cwd: Path, folder: Path) -> list[dict[str, Any]]:
    """Files that a command names. Those of kernels are in the plan itself."""
    found: dict[Path, dict[str, Any]] = {}
    for arm in (plan.baseline, plan.change):
        for path in named_files(arm.command, cwd).values():
            if path not in found:
                found[path] = source(path, folder / SOURCES)
    return list(found.values())


def source(path: Path, kept: Path) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": str(path)}
    try:
        entry["bytes"] = path.stat().st_size
        if entry["bytes"] > LARGEST_HASH:
            return entry | {"note": f"over {LARGEST_HASH >> 20} MiB: not hashed"}
        with open(path, "rb") as file:
            entry["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        if entry["bytes"] > LARGEST_COPY:
            return entry
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return entry
    if scan([(path.name, text)]):
        return entry | {"note": LEFT_OUT}
    kept.mkdir(exist_ok=True)
    entry["kept"] = f"{SOURCES}/{entry['sha256'][:12]}-{safe_name(path.name)}"
    (kept.parent / entry["kept"]).write_text(text, encoding="utf-8")
    return entry


def safe_name(name: str) -> str:
    """One that every file system takes, and an export: the end of it, where it is long."""
    return re.sub(r"[^A-Za-z0-9._+@=,~-]", "_", name)[-100:]
