"""Runs on a Ray cluster: its nodes get JSON and return receipts; only this host opens the book.

A node has a place for each of its GPUs and one for its CPU, so that nothing measures beside
another. Needs Warpbook on the nodes, with what the experiments need.
"""

import contextlib
import json
import logging
import os
import socket
import time
from typing import TYPE_CHECKING, Any

from warpbook.book.run_folder import LOG, RECEIPT, place_text
from warpbook.core.codec import encode
from warpbook.core.errors import BadInput, Missing
from warpbook.lab.executor import Ending
from warpbook.lab.ray_task import attempt

if TYPE_CHECKING:
    from warpbook.book.leases import Lease

STOPPING_S = 10.0
KNOCK_S = 5.0
PLACES_S = 5.0
NONE_A_NODE = 2


class RayExecutor:
    name = "ray"

    def __init__(
        self, address: str | None = None, devices: tuple[str, ...] = ("cpu", "cuda", "none")
    ) -> None:
        self.devices = devices
        self.ray = connect(address)
        self._places: dict[str, str] = {}
        self._nodes: dict[str, str] = {}
        self._next_look = 0.0

    def places(self) -> dict[str, str]:
        if time.monotonic() >= self._next_look:
            self._look()
            self._next_look = time.monotonic() + PLACES_S
        return self._places

    def _look(self) -> None:
        found: dict[str, str] = {}
        self._nodes = {}
        try:
            nodes = self.ray.nodes()
        except self.ray.exceptions.RayError as error:
            raise Missing(f"the Ray cluster no longer answers: {first_line(error)}") from None
        for node in nodes:
            if not node["Alive"]:
                continue
            short = node["NodeID"][:12]
            resources = node["Resources"]
            cores, gpus = int(resources.get("CPU", 0)), int(resources.get("GPU", 0))
            here = {f"{short}/gpu{i}": "cuda" for i in range(gpus)}
            if cores:
                here[f"{short}/cpu0"] = "cpu"
                here |= {f"{short}/none{i}": "none" for i in range(min(cores, NONE_A_NODE))}
            found |= here
            self._nodes |= dict.fromkeys(here, node["NodeID"])
        # First one on every node, then a second one on each.
        self._places = {
            name: found[name]
            for name in sorted(found, key=lambda name: name[-1])
            if found[name] in self.devices
        }

    def start(self, lease: "Lease") -> "RayHandle":
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        cuda = lease.plan.device == "cuda"
        node = NodeAffinitySchedulingStrategy(self._nodes[lease.place], soft=False)
        task = self.ray.remote(attempt).options(
            name=lease.run,
            num_gpus=1 if cuda else 0,
            num_cpus=0 if cuda else 0.5,
            num_returns="streaming",
            max_retries=0,
            scheduling_strategy=node,
        )
        return RayHandle(self.ray, lease, task.remote(json.dumps(encode(lease.order))))

    def close(self) -> None:
        self.ray.shutdown()


class RayHandle:
    def __init__(self, ray: Any, lease: "Lease", items: Any) -> None:
        self.ray = ray
        self.lease = lease
        self.items = items
        self.ending: Ending | None = None
        self.last: dict[str, Any] | None = None
        self.over = False

    def poll(self) -> Ending | None:
        while self.ending is None:
            if self.over:
                self.ending = self._arrive()
                break
            ready, _ = self.ray.wait([self.items], timeout=0)
            if not ready:
                return None
            self._next()
        return self.ending

    def _next(self) -> None:
        errors = self.ray.exceptions
        try:
            item = self.ray.get(next(self.items))
        except StopIteration:
            self.over = True
        except errors.TaskCancelledError:
            self.ending = Ending("it was cancelled")
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError) as error:
            self.ending = Ending(f"its node or Ray's process there died: {first_line(error)}", True)
        except errors.RayError as error:
            self.ending = Ending(f"Ray could not run it: {first_line(error)}", lost=True)
        else:
            self._keep(item)

    def _keep(self, item: dict[str, Any]) -> None:
        if "log" in item:
            # On a full disk the log has a gap; the run goes on.
            with contextlib.suppress(OSError), open(self.lease.folder / LOG, "ab") as log:
                log.write(item["log"])
        else:
            self.last = item

    def _arrive(self) -> Ending:
        """The receipt comes last and is renamed into place, as on this machine. Where the disk is
        full this raises, and the next `poll` tries again."""
        if self.last is None:
            return Ending("its task ended without a word", lost=True)
        files: dict[str, bytes] = dict(self.last["files"])
        receipt = files.pop(RECEIPT, None)
        for name, content in files.items():
            path = self.lease.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        if receipt is None:
            return Ending(self.last["why"])
        place_text(self.lease.folder, receipt.decode())
        return Ending()

    def stop(self) -> None:
        """The task ends its processes itself; one that does not is killed, and they with it."""
        for force in (False, True):
            with contextlib.suppress(self.ray.exceptions.RayError, ValueError):
                self.ray.cancel(self.items, force=force)
            until = time.monotonic() + STOPPING_S
            while time.monotonic() < until:
                if self.poll() is not None:
                    return
                time.sleep(0.02)
        self.ending = self.ending or Ending("its task could not be cancelled")


def connect(address: str | None) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError:
        raise Missing("--executor ray needs Ray: pip install 'warpbook[ray]'") from None
    try:
        if address:
            knock(address)
        ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.WARNING)
    except (OSError, ValueError, RuntimeError) as error:
        where = f"at {address}" if address else "on this machine"
        raise Missing(
            f"no Ray cluster answers {where} ({first_line(error)}); start one with "
            "`ray start --head`, or give --address HOST:PORT"
        ) from None
    return ray


def knock(address: str) -> None:
    """Ray itself would wait for minutes where nobody answers."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise BadInput(f"{address!r} is no address of a Ray cluster: give HOST:PORT")
    socket.create_connection((host, int(port)), timeout=KNOCK_S).close()


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
