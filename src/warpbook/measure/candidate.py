"""The judge's handle on one child: ask it, time the asking, freeze it in between, end it.

What comes back is read as JSON and nothing more. The child is stopped whenever it has nothing to
do, so that it cannot work while nobody is timing it.
"""

import json
import os
import select
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warpbook.measure.zygote import Zygote

LONGEST_REPLY = 4 * 2**20


class CandidateError(Exception):
    """The child did not answer as it should."""


class Died(CandidateError):
    """The process ended."""


class TimedOut(CandidateError):
    """No answer within the limit."""


class Forged(CandidateError):
    """Something other than the harness wrote to its channel, or it answered nonsense."""


class Failed(CandidateError):
    """The candidate raised an exception."""


class Refused(CandidateError):
    """The candidate's result is not one that can be checked."""


class Skipped(CandidateError):
    """The candidate cannot be run here, and says why."""


@dataclass(frozen=True)
class Reply:
    """`elapsed_us` is the judge's own clock, from waking the child to its answer; `busy_us` the
    kernel's account of the child's busiest thread meanwhile, which a crowded machine leaves be."""

    fields: dict[str, Any]
    elapsed_us: float
    busy_us: float

    def number(self, name: str) -> int:
        value = self.fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise Forged(f"the harness answered {name} = {value!r}")
        return value


class Candidate:
    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self._log = os.memfd_create("warpbook-log")
        child_reads, self._requests = os.pipe()
        self._replies, child_writes = os.pipe()
        try:
            self.pid = zygote.spawn([child_reads, child_writes, self._log])
        finally:
            os.close(child_reads)
            os.close(child_writes)
        self._asked = 0
        self._alive = True

    @property
    def alive(self) -> bool:
        return self._alive

    def ask(self, do: str, limit_s: float, **fields: Any) -> Reply:
        self._refuse_unasked()
        self._asked += 1
        message = json.dumps({"do": do, "id": self._asked, **fields}).encode() + b"\n"
        before = thread_times_us(self.pid)
        began = time.perf_counter()  # before it wakes: a handler may run ahead of the request
        self._signal(signal.SIGCONT)
        try:
            write_all(self._requests, message)
            line = self._read_line(began + limit_s)
        except BrokenPipeError:
            raise Died(self._obituary()) from None
        elapsed_us = (time.perf_counter() - began) * 1e6
        self._signal(signal.SIGSTOP)
        after = thread_times_us(self.pid)
        busy_us = max((us - before.get(thread, 0.0) for thread, us in after.items()), default=0.0)
        return self._understood(line, elapsed_us, busy_us)

    def peek(self, address: int, size: int) -> bytearray:
        """Read the memory of the frozen child."""
        data = bytearray(size)
        try:
            with open(f"/proc/{self.pid}/mem", "rb") as memory:
                memory.seek(address)
                got = memory.readinto(data)
        except (OSError, OverflowError, ValueError) as error:
            raise Refused(f"its result cannot be read: {error}") from None
        if got != size:
            raise Refused(f"its result cannot be read: {got} of {size} bytes are there")
        return data

    def helpers(self) -> list[int]:
        return self._zygote.helpers_of(self.pid)

    def end(self) -> None:
        if not self._alive:
            return
        self._alive = False
        self._status = self._zygote.end(self.pid)
        self._said = self._tail()
        for fd in (self._requests, self._replies, self._log):
            os.close(fd)

    def _tail(self) -> str:
        """The last line that the candidate printed; for people to read, never for a verdict."""
        size = os.fstat(self._log).st_size
        text = os.pread(self._log, 4096, max(0, size - 4096)).decode(errors="replace").strip()
        return text.rpartition("\n")[2]

    def _understood(self, line: bytes, elapsed_us: float, busy_us: float) -> Reply:
        try:
            fields = json.loads(line)
        except ValueError:
            raise Forged("the candidate wrote to the harness's channel") from None
        if not isinstance(fields, dict) or fields.get("id") != self._asked:
            raise Forged("the candidate answered in the harness's place")
        for name, kind in (("error", Failed), ("refused", Refused), ("skipped", Skipped)):
            if name in fields:
                raise kind(str(fields[name])[:500])
        return Reply(fields, elapsed_us, busy_us)

    def _read_line(self, deadline: float) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([self._replies], [], [], left)[0]:
                self.end()
                raise TimedOut("no answer within the time limit")
            chunk = os.read(self._replies, 65536)
            if not chunk:
                raise Died(self._obituary())
            line += chunk
            if len(line) > LONGEST_REPLY:
                raise Forged("the candidate wrote to the harness's channel")
        if line.count(b"\n") != 1:
            raise Forged("the candidate wrote to the harness's channel")
        return line

    def _refuse_unasked(self) -> None:
        if select.select([self._replies], [], [], 0)[0] and os.read(self._replies, 1):
            raise Forged("the candidate wrote to the harness's channel")

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def _obituary(self) -> str:
        self.end()
        code = os.waitstatus_to_exitcode(self._status)
        cause = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"
        return f"the process {cause}: {self._said}" if self._said else f"the process {cause}"


def write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def thread_times_us(pid: int) -> dict[str, float]:
    """What each thread of a process has spent on a core, as the kernel counts it."""
    times = {}
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                text = Path(f"/proc/{pid}/task/{thread}/schedstat").read_text()
                times[thread] = int(text.split()[0]) / 1e3
    return times
