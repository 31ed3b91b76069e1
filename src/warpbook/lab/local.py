"""Runs as processes of this machine."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.book.processes import FOLDER, MARK, end_marked
from warpbook.book.run_folder import LOG, ORDER, RECEIPT, is_forbidden, last_lines
from warpbook.core.errors import Missing
from warpbook.core.machine import listed_gpus, pick_uuid, visible_uuid, why_no_cuda
from warpbook.lab.executor import Ending

if TYPE_CHECKING:
    from warpbook.book.leases import Lease

CHILD = (sys.executable, "-P", "-m", "warpbook.lab.child", ORDER)


class LocalExecutor:
    """One run at a time on the CPU, on each GPU, and of those that measure nothing here."""

    name = "local"

    def __init__(self, devices: tuple[str, ...] = ("cpu", "cuda", "none")) -> None:
        self.devices = devices

    def places(self) -> dict[str, str]:
        found = {"cpu": "cpu", "none": "none", **dict.fromkeys(gpus(), "cuda")}
        return {name: device for name, device in found.items() if device in self.devices}

    def start(self, lease: "Lease") -> "LocalHandle":
        with open(lease.folder / LOG, "ab") as log:
            child = spawn(lease.folder, lease.run, lease.uid, lease.place, log.fileno())
        return LocalHandle(lease, child)

    def close(self) -> None:
        return


class LocalHandle:
    def __init__(self, lease: "Lease", child: "subprocess.Popen[bytes]") -> None:
        self.lease = lease
        self.child = child

    def poll(self) -> Ending | None:
        status = self.child.poll()
        if status is None:
            return None
        # A child that was killed leaves what it started to die by itself.
        end_marked(self.lease.uid)
        folder = self.lease.folder
        if (folder / RECEIPT).exists():
            return Ending()
        if is_forbidden(folder):
            return Ending("another worker took it over", lost=True)
        return Ending(why(status, folder))

    def stop(self) -> None:
        end(self.child, self.lease.uid)


def spawn(folder: Path, run: str, uid: str, place: str, output: int) -> "subprocess.Popen[bytes]":
    """The run's process. It dies with the thread that calls this."""
    environment = {**os.environ, "WARPBOOK_RUN": run, MARK: uid, FOLDER: str(folder.resolve())}
    if place.startswith(("GPU-", "MIG-")):
        environment["CUDA_VISIBLE_DEVICES"] = place
    if paths := environment.get("PYTHONPATH"):
        absolute = [os.path.abspath(path) for path in paths.split(os.pathsep) if path]
        environment["PYTHONPATH"] = os.pathsep.join(absolute)
    return subprocess.Popen(
        [*CHILD, str(os.getpid())],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


def end(child: "subprocess.Popen[bytes]", uid: str) -> None:
    """Every process of the run: its group, and those that left it."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    end_marked(uid)


def why(status: int, folder: Path) -> str:
    said = last_lines(folder)
    by = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
    return f"the run's process {by} and left no receipt" + (f":\n{said}" if said else "")


def gpus() -> list[str]:
    """UUIDs of those that may be used here, as CUDA_VISIBLE_DEVICES says."""
    if why_no_cuda() is not None:
        return []
    try:
        listed = listed_gpus()
    except (Missing, ModuleNotFoundError):
        return [visible_uuid()]
    entries = os.environ.get("CUDA_VISIBLE_DEVICES")
    if entries is None:
        return [uuid for uuid, _ in listed]
    in_bus_order = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    found = [pick_uuid(listed, entry.strip(), in_bus_order) for entry in entries.split(",")]
    # Where only CUDA knows which number is which, one is told for sure: the first.
    return [uuid for uuid in found if uuid] if all(found) else [visible_uuid()]
