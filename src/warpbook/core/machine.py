"""This machine, as far as it can be told without torch: which device, the driver, and the software
around it.

One CUDA device is used, the first that CUDA_VISIBLE_DEVICES leaves visible. Knows nothing of
problems or of timing; what only torch can tell is in `measure.device`.
"""

import ast
import ctypes
import importlib.metadata
import importlib.util
import os
import platform
import uuid as uuids
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import warpbook
from warpbook.core.errors import BadInput, Missing


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
    """The UUID of the first visible GPU: NVML's where it can tell, or else the driver's."""
    try:
        listed = listed_gpus()
    except ModuleNotFoundError:
        return driver_gpu()[0]
    in_bus_order = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    return pick_uuid(listed, visible_entry(), in_bus_order) or driver_gpu()[0]


def visible_name() -> str:
    """The name of the first visible GPU. NVML does not list slices of one."""
    try:
        listed = dict(listed_gpus())
    except ModuleNotFoundError:
        return driver_gpu()[1]
    return listed.get(visible_uuid()) or driver_gpu()[1]


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


@cache
def driver_gpu() -> tuple[str, str]:
    """UUID and name of the first visible GPU by the CUDA driver's own numbers, which are torch's
    too. Starting the driver takes a moment, and a fork after it cannot use CUDA."""
    number, identity = ctypes.c_int(), (ctypes.c_ubyte * 16)()
    name = ctypes.create_string_buffer(256)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise Missing("no CUDA driver (libcuda.so.1) on this machine") from None
    status = (
        driver.cuInit(0)
        or driver.cuDeviceGet(ctypes.byref(number), 0)
        or driver.cuDeviceGetUuid_v2(ctypes.byref(identity), number)
        or driver.cuDeviceGetName(name, len(name), number)
    )
    if status:
        raise Missing(f"the CUDA driver shows no GPU (it answered {status})")
    return f"GPU-{uuids.UUID(bytes=bytes(identity))}", name.value.decode()


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


def environment(device: str) -> dict[str, str]:
    """What a receipt says of where it was measured, for a device that is cpu, cuda or none."""
    if device == "cuda":
        return surroundings(visible_name(), visible_uuid(), driver_version())
    return surroundings(cpu_name(), "cpu", platform.release())


def surroundings(name: str, uuid: str, driver: str) -> dict[str, str]:
    """A device and the software around it, in words alone."""
    torch, cuda = torch_build()
    return {
        "device": name,
        "uuid": uuid,
        "driver": driver,
        "torch": torch,
        "triton": version("triton"),
        "python": platform.python_version(),
        "cuda": cuda,
        "platform": " ".join([platform.system(), platform.machine(), *platform.libc_ver()]),
        "warpbook": warpbook.__version__,
    }


@cache
def torch_build() -> tuple[str, str]:
    """Torch's version and the CUDA it was built for, from the file in which it keeps them; its
    import takes a second."""
    found = importlib.util.find_spec("torch")
    try:
        text = Path(found.origin or "").with_name("version.py").read_text() if found else ""
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError):
        tree = ast.Module([], [])
    said: dict[str, Any] = {}
    for line in tree.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and isinstance(line.value, ast.Constant):
            target = line.targets[0] if isinstance(line, ast.Assign) else line.target
            said[ast.unparse(target)] = line.value.value
    return str(said.get("__version__") or version("torch")), str(said.get("cuda") or "none")


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"
