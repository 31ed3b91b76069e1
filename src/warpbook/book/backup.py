"""A backup: the whole book as one .tar.gz, made while others go on writing.

The database is copied by SQLite's own backup, at one moment, and checked; then come the other files
of the folder: settings, runs, texts. A receipt is on disk before its run is recorded, so each run
the copy calls valid has its receipt with it. A receipt that came after that moment is adopted
when the restored book is next worked on.

Left out is what only lives while the book is in use: the workers' locks, SQLite's own side files,
the dashboard's keys (and whatever else begins with a dot), and earlier backups. To restore, unpack
it into an empty folder and look:

    mkdir again && tar xzf FILE -C again && warpbook check --book again
"""

import hashlib
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from warpbook.book.folder import DATABASE
from warpbook.book.new_file import new_file
from warpbook.book.sqlite import connect, translated
from warpbook.core.errors import BadInput, Missing

if TYPE_CHECKING:
    from warpbook.book.book import Book

BACKUPS = "backups"
LEFT_OUT = {BACKUPS, "workers", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "__pycache__"}


def backup(book: "Book", target: Path | None = None) -> Path:
    """`target` must be new; by default it is named after the time, under `backups/`."""
    folder = book.folder
    if target is None:
        target = place(folder)
    target = Path(target).expanduser().absolute()
    with (
        new_file(target) as building,
        tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch,
    ):
        copy = Path(scratch) / DATABASE
        copy_database(folder / DATABASE, copy)
        digest = digest_of(copy)
        with tarfile.open(building, "w:gz", compresslevel=5) as archive:
            archive.add(copy, DATABASE)
            files = 1 + sum(add(archive, path, name) for path, name in contents(folder, target))
        check(building, files, digest)
    return target


def place(folder: Path) -> Path:
    backups = folder / BACKUPS
    try:
        backups.mkdir(exist_ok=True)
    except OSError as error:
        raise Missing(
            f"{backups}: cannot be made: {error.strerror}; name a file elsewhere"
        ) from None
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return backups / f"{folder.name}-{now}.tar.gz"


def copy_database(path: Path, copy: Path) -> None:
    """All in one step: a reader of a WAL file holds nobody up, and sees one moment."""
    with (
        translated(path),
        closing(connect(path)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        try:
            source.backup(target)
        except sqlite3.OperationalError as error:
            raise Missing(f"{copy.parent.parent}: book.db could not be copied: {error}") from None
        target.execute("PRAGMA journal_mode = DELETE")
        found = [row[0] for row in target.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        raise BadInput(f"{path}: the file is damaged ({found[0]}); `warpbook check` says how far")


def contents(folder: Path, target: Path) -> Iterator[tuple[Path, str]]:
    """Every plain file of the book, with its name within. Links are not followed."""
    for where, folders, files in os.walk(folder):
        here = Path(where)
        top = here == folder
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not (top and name in LEFT_OUT)
        )
        for name in sorted(files):
            path = here / name
            if name.startswith(".") or (top and name in LEFT_OUT) or path == target:
                continue
            if path.is_symlink() or not path.is_file():
                continue
            yield path, str(path.relative_to(folder))


def add(archive: tarfile.TarFile, path: Path, name: str) -> bool:
    """A log may grow meanwhile, and is kept as far as it was; a file may be gone by now."""
    try:
        with open(path, "rb") as file:
            entry = archive.gettarinfo(arcname=name, fileobj=file)
            archive.addfile(entry, file)
    except FileNotFoundError:
        return False
    return True


def check(path: Path, files: int, digest: str) -> None:
    """Read it all back, as somebody restoring would."""
    with tarfile.open(path, "r:gz") as archive:
        entries = archive.getmembers()
        inside = archive.extractfile(DATABASE)
        if len(entries) != files or inside is None or hexdigest(inside) != digest:
            raise Missing(f"{path}: what was written is not what can be read; check the disk")


def digest_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hexdigest(file)


def hexdigest(file: IO[bytes]) -> str:
    found = hashlib.sha256()
    while chunk := file.read(1 << 20):
        found.update(chunk)
    return found.hexdigest()
