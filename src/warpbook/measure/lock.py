"""The device lock: one measurement at a time on a device, across processes and users.

The kernel lets go of it when the holder dies. It is not re-entrant: a process that holds it and
asks again waits for itself.
"""

import contextlib
import fcntl
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from warpbook.core.errors import Missing
from warpbook.core.machine import visible_uuid

PATIENCE_S = 1.0
POLL_S = 0.05


def lock_path(device: str) -> Path:
    """One file a device: a GPU by its UUID, so that two names for it are one lock."""
    key = visible_uuid() if device == "cuda" else device
    return Path(tempfile.gettempdir()) / f"warpbook-{re.sub(r'[^A-Za-z0-9-]', '_', key)}.lock"


@contextlib.contextmanager
def device_lock(
    device: str, timeout_s: float = 600.0, progress: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    path = lock_path(device)
    descriptor = acquire(path, device, timeout_s, progress)
    try:
        yield
    finally:
        os.ftruncate(descriptor, 0)
        # Unlocked by name, since a forked child may still hold a copy of the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def acquire(path: Path, device: str, timeout_s: float, progress: Callable[[str], None]) -> int:
    begin = time.monotonic()
    told = False
    while True:
        descriptor = open_lock_file(path)
        if try_lock(descriptor, path):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            return descriptor
        holder = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
        os.close(descriptor)
        waited_s = time.monotonic() - begin
        if waited_s > timeout_s:
            raise Missing(
                f"the {device} device is in use: process {holder} has held {path}"
                f" for the {timeout_s:g} s this one waited"
            )
        if waited_s > PATIENCE_S and not told:
            line = f"waiting for the {device} device: process {holder} has it"
            print(line, file=sys.stderr)
            progress(line)
            told = True
        time.sleep(POLL_S)


def try_lock(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # A file removed from under its lock guards nothing: the next process would make a new one.
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def open_lock_file(path: Path) -> int:
    """Opens first and creates only then: in a sticky directory some kernels refuse O_CREAT on
    another user's file even where it exists."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        try:
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                created = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
                os.fchmod(created, 0o666)  # whatever the umask: other users share the lock
                return created
            descriptor = os.open(path, flags)
    except OSError as error:
        raise Missing(f"the lock file {path} cannot be opened: {error.strerror}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(descriptor)
        raise Missing(f"the lock file {path} is not a plain file of its own; remove it")
    return descriptor
