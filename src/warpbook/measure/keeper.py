"""A process between a measurement and a shell command, which ends the command and all that it
started: when the shell ends, when its time is up, and when the measuring process dies.

A group or a session is not enough, since a command may start processes in others; what loses its
parent here becomes a child of the keeper. It imports only the standard library, and speaks to its
parent over a socket: one word at the end, the shell's wait status or `late`.
"""

import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress

from warpbook.measure.cell import adopt_orphans, die_with_parent
from warpbook.measure.zygote import descendants

LATE = b"late"
# A process that holds a GPU takes seconds to go; one of another user cannot be ended at all.
GOING_S = 20.0
POLL_S = 0.005


def main() -> None:
    descriptor, limit_s, command = sys.argv[1:]
    parent = socket.socket(fileno=int(descriptor))
    parent.set_inheritable(False)
    adopt_orphans()
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    shell = start(command)
    answer = wait(shell, parent, woken, time.monotonic() + float(limit_s))
    end_all()
    with suppress(OSError):
        parent.send(answer)


def start(command: str) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        die_with_parent()
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and a shell would inherit it
            signal.signal(ignored, signal.SIG_DFL)
        os.execv("/bin/sh", ["sh", "-c", command])
    finally:
        os._exit(127)


def wait(shell: int, parent: socket.socket, woken: int, deadline: float) -> bytes:
    """Until the shell has ended, its time is up, or the parent is gone."""
    while (left_s := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([parent.fileno(), woken], [], [], left_s)
        if parent.fileno() in ready:  # it never speaks
            return LATE
        if woken in ready:
            os.read(woken, 1024)
        if (status := reap(shell)) is not None:
            return b"%d" % status
    return LATE


def reap(shell: int) -> int | None:
    """The shell's wait status, once it has ended; orphans are reaped on the way."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == shell:
                return status
            if not pid:
                return None
    return None


def end_all() -> None:
    deadline = time.monotonic() + GOING_S
    with suppress(ChildProcessError):
        while time.monotonic() < deadline:
            for process in descendants(os.getpid()):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(POLL_S)
