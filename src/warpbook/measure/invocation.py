"""One invocation of a shell command: started, listened to, and ended with all that it started.

What it prints is echoed to stderr as it comes; only the end of it is kept. Knows nothing of what
it means.
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from warpbook.core.errors import Missing
from warpbook.core.steps import without_steps
from warpbook.measure.keeper import LATE

KEPT_BYTES = 2**20
LAST_BYTES = 4096
LAST_LINES = 5
LINE_CHARACTERS = 200

KEEPER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from warpbook.measure.keeper import main
main()
"""


@dataclass
class Tail:
    """The end of what was printed, and how much there was in all."""

    keep_bytes: int
    total_bytes: int = 0
    _held: bytearray = field(default_factory=bytearray)

    def add(self, chunk: bytes) -> None:
        self.total_bytes += len(chunk)
        self._held += chunk
        if len(self._held) > 2 * self.keep_bytes:
            del self._held[: -self.keep_bytes]

    @property
    def whole(self) -> bool:
        return self.total_bytes <= self.keep_bytes

    @property
    def text(self) -> str:
        return self._held[-self.keep_bytes :].decode(errors="replace")


@dataclass(frozen=True)
class Invocation:
    """`status` is the shell's wait status, or None where its time was up. `whole` says whether
    `stdout` is all it printed there; `last` are the last lines of both streams."""

    status: int | None
    stdout: str
    whole: bool
    last: str

    @property
    def failure(self) -> str | None:
        """How it ended, if not well."""
        if self.status is None:
            return "ran out of time"
        if os.WIFSIGNALED(self.status):
            return f"was ended by {signal_name(os.WTERMSIG(self.status))}"
        code = os.WEXITSTATUS(self.status)
        return f"ended with exit status {code}" if code else None


def invoke(command: str, limit_s: float) -> Invocation:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = start_keeper(command, limit_s, theirs)
        with process:
            try:
                stdout, both = listen(process)
                answer = ours.recv(64)
            finally:
                ours.close()  # which has the keeper end it all
    if not answer:
        raise RuntimeError(f"the keeper of {command!r} ended with {process.returncode}")
    status = None if answer == LATE else int(answer)
    return Invocation(status, stdout.text, stdout.whole, last_lines(both.text))


def start_keeper(command: str, limit_s: float, channel: socket.socket) -> "subprocess.Popen[bytes]":
    """Isolated and without `site`, so that neither the folder nor PYTHONPATH decides what it
    imports, while the command finds both as they were."""
    root = str(Path(__file__).resolve().parents[2])
    arguments = [root, str(channel.fileno()), str(limit_s), command]
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", KEEPER, *arguments],
            env=without_steps(os.environ),
            pass_fds=[channel.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise Missing(f"the command cannot be started: {error.strerror}") from None


def listen(process: "subprocess.Popen[bytes]") -> tuple[Tail, Tail]:
    """What it printed on stdout, and on both streams, until both are closed."""
    stdout, both = Tail(KEPT_BYTES), Tail(LAST_BYTES)
    with selectors.DefaultSelector() as streams:
        for stream in (process.stdout, process.stderr):
            if stream:
                streams.register(stream, selectors.EVENT_READ)
        while streams.get_map():
            for key, _ in streams.select():
                chunk = os.read(key.fd, 2**16)
                if not chunk:
                    streams.unregister(key.fileobj)
                    continue
                both.add(chunk)
                if key.fileobj is process.stdout:
                    stdout.add(chunk)
                echo(chunk)
    return stdout, both


def echo(chunk: bytes) -> None:
    with suppress(OSError):  # whoever read it is gone; the measurement is not
        sys.stderr.buffer.write(chunk)
        sys.stderr.buffer.flush()


def last_lines(text: str) -> str:
    """The ends of the last few lines with something on them, in one line."""
    lines = [" ".join(line.split())[-LINE_CHARACTERS:] for line in text.splitlines()]
    shown = " / ".join([line for line in lines if line][-LAST_LINES:])
    return "".join(c if c.isprintable() else "?" for c in shown)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
