"""The files that a run left in its folder, a piece at a time.

Only names that a run's folder has; a link in it is not followed, nor is anything else than a plain
file opened. Knows nothing of who reads.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warpbook.book import run_folder
from warpbook.core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from warpbook.book.book import Book

NAMES = (
    run_folder.LOG, run_folder.RECEIPT, run_folder.ORDER, run_folder.DIFF, run_folder.STEPS,
)  # fmt: skip
MOST_SOURCES = 1000
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True)
class RunFile:
    """`name` is its path from the run's folder: `log`, `sources/mine.py`."""

    name: str
    size_bytes: int


@dataclass(frozen=True)
class Piece:
    """The bytes from `start` on, of a file that has `total_bytes`."""

    name: str
    start: int
    total_bytes: int
    content: bytes


def run_files(book: "Book", run: str) -> list[RunFile]:
    """Those that are there, in the order of NAMES, then the sources by name."""
    with opened_folder(book, run) as folder:
        found = [*sizes(folder, "", NAMES)]
        try:
            sources = os.open(run_folder.SOURCES, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
        except OSError:
            return found
        try:
            names = sorted(os.listdir(sources))[:MOST_SOURCES]
            return [*found, *sizes(sources, f"{run_folder.SOURCES}/", names)]
        finally:
            os.close(sources)


def read_piece(
    book: "Book", run: str, name: str, start: int, most: int, tail: bool = False
) -> Piece:
    """`most` bytes from `start` on; with `tail`, the last `most`."""
    *folders, last = name.split("/")
    known = name in NAMES if not folders else folders == [run_folder.SOURCES]
    if not known or last in ("", ".", "..") or "\0" in last:
        raise NotFound(f"{run} has no file {name!r}: {', '.join(NAMES)}, {run_folder.SOURCES}/...")
    with opened_folder(book, run) as folder:
        if folders:
            return source_piece(folder, run, name, start, most, tail)
        return piece(folder, run, name, last, start, most, tail)


def source_piece(folder: int, run: str, name: str, start: int, most: int, tail: bool) -> Piece:
    try:
        sources = os.open(run_folder.SOURCES, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        raise NotFound(f"{run} kept no sources") from None
    try:
        return piece(sources, run, name, name.rpartition("/")[2], start, most, tail)
    finally:
        os.close(sources)


def piece(folder: int, run: str, name: str, last: str, start: int, most: int, tail: bool) -> Piece:
    try:
        descriptor = os.open(last, FILE, dir_fd=folder)
    except OSError:
        raise NotFound(f"{run} has left no file {name!r}") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise BadInput(f"{name!r} of {run} is no plain file")
        begin = max(found.st_size - most, 0) if tail else min(start, found.st_size)
        return Piece(name, begin, found.st_size, os.pread(descriptor, most, begin))
    finally:
        os.close(descriptor)


@contextmanager
def opened_folder(book: "Book", run: str) -> Iterator[int]:
    path = book.runs.folder(run)
    try:
        descriptor = os.open(path, FOLDER | os.O_NOFOLLOW)
    except OSError:
        raise NotFound(f"{path}: the folder of {run} is not there") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sizes(folder: int, before: str, names: tuple[str, ...] | list[str]) -> Iterator[RunFile]:
    for name in names:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            yield RunFile(before + name, found.st_size)
