"""One writer at a time for a text file, among processes of Warpbook.

The lock is a file of its own beside it, which is there only while it is held; one that a killed
process left is free. Other programs know nothing of it.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warpbook.core.errors import Taken

PATIENCE_S = 10.0
STEP_S = 0.005


class Held(Taken):
    """An editor has the file, for as long as somebody types."""


@contextmanager
def locked(target: Path, holder: str = "") -> Iterator[None]:
    """`holder` says who has it for long; others are then told at once instead of waiting."""
    path = target.with_name(f".{target.name}.lock")
    descriptor = acquired(path, target)
    try:
        os.pwrite(descriptor, holder.encode(), 0)
        yield
    finally:
        os.ftruncate(descriptor, 0)
        path.unlink(missing_ok=True)  # while it is held, so that nobody else's is removed
        os.close(descriptor)


def acquired(path: Path, target: Path) -> int:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 1000, 0).decode(errors="replace")
            if holder:
                os.close(descriptor)
                raise Held(
                    f"{target} is open in an editor ({holder}); nothing was changed"
                ) from None
        else:
            if is_still(descriptor, path):
                os.ftruncate(descriptor, 0)
                return descriptor
        os.close(descriptor)
        if time.monotonic() > deadline:
            raise Taken(
                f"{target}: another process of Warpbook has been writing to it for "
                f"{PATIENCE_S:g} s; nothing was changed, try again"
            )
        time.sleep(STEP_S)


def is_still(descriptor: int, path: Path) -> bool:
    """Whether it is the file of that name: its last holder removes it."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)
