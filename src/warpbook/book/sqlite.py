"""SQLite as the book uses it: opening a file, and its errors in words that say what to do.

Knows no table. Imports nothing heavy, so that a verb can read a book's file at once.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warpbook.core.errors import BadInput, Missing, WarpbookError

BUSY_S = 30.0


def connect(path: Path) -> sqlite3.Connection:
    """`isolation_level=None`: transactions begin where we say, not where the driver guesses."""
    try:
        found = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None
        )
        write_ahead(found)
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error) and "unable to open" not in str(error):
            raise
        found = connect_read_only(path)
    found.execute("PRAGMA foreign_keys = ON")
    found.execute("PRAGMA synchronous = FULL")
    return found


def write_ahead(connection: sqlite3.Connection) -> None:
    """A file that was never in this mode is locked for a moment by the first to ask for it, and
    SQLite does not wait for that by itself."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A book that may only be read. Where its folder cannot hold the shared-memory file either,
    nobody can be writing, and it is read as it lies there."""
    uri = path.absolute().as_uri()
    for mode in ("mode=ro", "immutable=1"):
        found = sqlite3.connect(f"{uri}?{mode}", uri=True, timeout=BUSY_S, isolation_level=None)
        try:
            found.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            found.close()
            continue
        return found
    raise sqlite3.OperationalError("unable to open database file")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        known = explained(path, str(error))
        if known is None:
            raise
        raise known from error


def explained(path: Path, message: str) -> WarpbookError | None:
    if "is full" in message:
        return Missing(f"{path}: the disk is full; nothing was changed, free some space")
    if "readonly" in message:
        return Missing(f"{path}: this book can only be read here; nothing was changed")
    if "is locked" in message:
        return Missing(f"{path}: another process has held the book for {BUSY_S:g} s; try again")
    if "malformed" in message or "not a database" in message or "disk image" in message:
        return BadInput(
            f"{path}: the file is damaged ({message}); `warpbook check` says how far, "
            "`warpbook backup` made copies to go back to"
        )
    if "unable to open" in message or "disk I/O" in message:
        return Missing(f"{path}: cannot be opened: {message}")
    return None
