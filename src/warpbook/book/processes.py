"""The processes of a run: found by a mark in their environment, and ended together.

The mark reaches whatever a command starts, also what left its process group. Knows nothing of the
book; works on the machine it is called on.
"""

import ctypes
import fcntl
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

MARK = "WARPBOOK_RUN_UID"
FOLDER = "WARPBOOK_RUN_FOLDER"
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)
PATIENCE_S = 5.0
PAUSE_S = 0.01


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """From here on the kernel sends this process that signal when the thread that started it ends.
    The caller looks at its parent after this: it may be gone already."""
    LIBC.prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)


def marked(uid: str, folder: Path | None = None) -> list[int]:
    """The processes of this user that carry the run's mark. With `folder`, not those that say they
    are of another: a book that was restored from a backup has the same runs as the one it is of."""
    entry = f"{MARK}={uid}".encode()
    said = f"{FOLDER}=".encode()
    mine = said + os.fsencode(folder.resolve()) if folder else None
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            entries = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        others = mine and any(one.startswith(said) and one != mine for one in entries)
        if entry in entries and not others:
            found.append(int(folder.name))
    return found


def end_marked(
    uid: str,
    keep: Collection[int] = (),
    patience_s: float = PATIENCE_S,
    folder: Path | None = None,
) -> bool:
    """Kill them all; False if some would not die. It takes two looks that find none: a process has
    no environment for the moment in which it starts another program."""
    until = time.monotonic() + patience_s
    clear = 0
    while clear < 2:
        alive = [pid for pid in marked(uid, folder) if pid not in keep]
        clear = 0 if alive else clear + 1
        for pid in alive:
            kill(pid)
        if alive and time.monotonic() > until:
            return False
        time.sleep(PAUSE_S)
    return True


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def lock_file(path: Path, wait_s: float = 0.0) -> int | None:
    """Hold `path` until the descriptor is closed or this process ends; None if another has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(descriptor)
                return None
            time.sleep(PAUSE_S)
        else:
            return descriptor
