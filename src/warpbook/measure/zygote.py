"""A process that imports torch once and forks a fresh child for each rung.

It never runs candidate code. It speaks over a socket: `spawn` (with the child's channels) is
answered with a pid, `reap PID` with the wait status. When the socket closes it ends.
"""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ENVIRONMENT = {
    # A waiting OpenMP thread must sleep: one that spins looks like work that is still going on,
    # and takes a core from whoever is being timed.
    "OMP_WAIT_POLICY": "passive",
    # Compile in the child itself, not in processes that the judge would take for helpers.
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
}

# Freed blocks stay mapped, so that a rung which returns a new tensor gets touched memory, as it
# would from the GPU's caching allocator: 2^25 floats cost 88 ms untouched and 16 ms touched.
CPU_ENVIRONMENT = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(2**62),
    "MALLOC_ARENA_MAX": "1",
}


class Zygote:
    """The judge's side."""

    def __init__(self, device: str) -> None:
        from warpbook.core.steps import without_steps  # the keeper does without it

        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        own = CPU_ENVIRONMENT if device == "cpu" else {}
        self._socket = ours
        self._process = subprocess.Popen(
            [sys.executable, "-m", "warpbook.measure.zygote", str(theirs.fileno()), device],
            env=without_steps(os.environ) | ENVIRONMENT | own | {"PYTHONPATH": import_path()},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self._children: set[int] = set()

    @property
    def pid(self) -> int:
        return self._process.pid

    def spawn(self, channels: list[int]) -> int:
        socket.send_fds(self._socket, [b"spawn"], channels)
        pid = int(self._answer())
        self._children.add(pid)
        return pid

    def end(self, pid: int) -> int:
        """Kill a child with all that it started; its wait status, as it was if already dead."""
        stray = [p for p in children_of(self.pid) if p not in self._children]
        for process in [*descendants(pid), *stray, pid]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._children.discard(pid)
        self._socket.send(b"reap %d" % pid)
        return int(self._answer())

    def helpers_of(self, pid: int) -> list[int]:
        """Processes that a child started and that are still there."""
        stray = [p for p in children_of(self.pid) if p not in self._children]
        return [*descendants(pid), *stray]

    def close(self) -> None:
        for pid in list(self._children):
            with suppress(OSError, RuntimeError):
                self.end(pid)
        self._socket.close()
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def _answer(self) -> bytes:
        answer = self._socket.recv(64)
        if not answer:
            raise RuntimeError(f"the zygote ended with status {self._process.wait()}")
        return answer


def import_path() -> str:
    """This package's own folder first, so that the child imports the code the judge runs."""
    here = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                text = Path(f"/proc/{pid}/task/{thread}/children").read_text()
                found.extend(child for child in map(int, text.split()) if alive(child))
    return found


def alive(pid: int) -> bool:
    """Not gone, and not a zombie that only waits to be reaped."""
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX"
    return False


def descendants(pid: int) -> list[int]:
    found = children_of(pid)
    for child in found:
        found.extend(children_of(child))
    return found


def serve(control: socket.socket, device: str) -> None:
    from warpbook.measure import cell

    cell.die_with_parent()
    cell.adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from warpbook.measure import child  # imports torch, once for all the children

    if device == "cuda":
        # A second for each child otherwise. Without a GPU it must wait: whether it interprets is
        # settled when it is imported.
        with suppress(ImportError):
            import triton  # noqa: F401

    ended: dict[int, int] = {}
    while True:
        message, channels, _, _ = socket.recv_fds(control, 64, 3)
        if not message:
            return
        if message == b"spawn":
            pid = os.fork()
            if pid == 0:
                control.close()
                os.setsid()
                child.main(channels, device)
                os._exit(0)
            for channel in channels:
                os.close(channel)
            control.send(b"%d" % pid)
        else:
            wanted = int(message.split()[1])
            while wanted not in ended:
                pid, status = os.waitpid(-1, 0)
                ended[pid] = status
            control.send(b"%d" % ended.pop(wanted))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
