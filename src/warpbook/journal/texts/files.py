"""Which text files the journal has, and what is found in each of them.

Knows where they lie; what a day, a reading list or a card is, their own modules know.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from warpbook.core.errors import WarpbookError
from warpbook.journal.entry import Parsed, Problem
from warpbook.journal.settings import JournalSettings
from warpbook.journal.texts import textfile

DAYS, READING, CARDS = "journal", "reading", "cards"
FOLDERS = (DAYS, READING, CARDS)
ENDING = ".md"


class Stamp(NamedTuple):
    """What differs when a file was written to. All zero for one that cannot be looked at."""

    mtime_ns: int = 0
    ctime_ns: int = 0
    size: int = 0
    inode: int = 0


@dataclass(frozen=True)
class Found:
    """A file as it was read; `sha256` is empty for one that could not be."""

    path: str
    stamp: Stamp
    sha256: str
    parsed: Parsed


def texts(folder: Path) -> dict[str, Stamp]:
    """The Markdown files of the journal, by their path below the book."""
    return {
        f"{place}/{name}": stamp
        for place in FOLDERS
        for name, stamp in inside(folder / place)
        if name.endswith(ENDING)
    }


def is_text(path: str) -> bool:
    """Whether a path below the book is that of a text the index takes in."""
    place, _, name = path.partition("/")
    return place in FOLDERS and "/" not in name and name.endswith(ENDING)


def stamp(folder: Path) -> int:
    """A number that differs when any file was written to, added or taken away."""
    return hash(
        tuple(
            sorted(
                (place, name, found.mtime_ns, found.ctime_ns, found.size, found.inode)
                for place in FOLDERS
                for name, found in inside(folder / place)
            )
        )
    )


def inside(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """Files directly in `folder`, without those whose name begins with a dot."""
    try:
        entries = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    with entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            name = entry.name if entry.name.isascii() else spelled(entry.name)
            try:
                there = entry.stat()
            except OSError:
                yield name, Stamp()
                continue
            if not stat.S_ISDIR(there.st_mode):
                yield name, stamped(there)


def stamp_of(path: Path) -> Stamp | None:
    """None where there is no file."""
    try:
        return stamped(path.stat())
    except OSError:
        return None


def stamped(there: os.stat_result) -> Stamp:
    return Stamp(there.st_mtime_ns, there.st_ctime_ns, there.st_size, there.st_ino)


def spelled(name: str) -> str:
    """A name that is no UTF-8 cannot be kept as it is."""
    return name.encode(errors="backslashreplace").decode()


def found(folder: Path, path: str, stamp: Stamp, settings: JournalSettings) -> Found:
    """What is in a file; one that cannot be read is a problem."""
    try:
        text = textfile.read(folder / path)
    except WarpbookError as error:
        return Found(path, stamp, "", Parsed(problems=[problem(folder, path, str(error))]))
    return Found(path, stamp, text.sha256, parsed(path, text.content, settings))


def problem(folder: Path, path: str, said: str) -> Problem:
    """What an error says of a file, with the line it names."""
    rest = said.removeprefix(f"{folder / path}:")
    line, _, words = rest.partition(":")
    if line.isdecimal():
        return Problem(path, int(line), words.strip())
    return Problem(path, 1, rest.strip())


def parsed(path: str, text: str, settings: JournalSettings) -> Parsed:
    """Imports what this file needs alone: a verb that changes one waits for no more."""
    if textfile.is_kept(path):
        return Parsed(problems=[Problem(path, 1, KEPT)])
    place, topic = path.partition("/")[0], PurePosixPath(path).stem
    parts: list[Parsed] = []
    if place == DAYS:
        from warpbook.journal.days import days

        parts.append(days.entries(path, text, settings))
        topic = next((entry.topic for entry in parts[0].entries if entry.kind == "day"), topic)
    if place == READING:
        from warpbook.journal.reading import reading

        parts.append(reading.entries(path, text))
    from warpbook.journal.cards import cards

    parts.append(cards.entries(path, text, topic))
    return Parsed(
        [entry for part in parts for entry in part.entries],
        [problem for part in parts for problem in part.problems],
    )


KEPT = (
    "a version that could not be put in its place, because another program wrote there; take "
    "from it what you want and remove it"
)


def sha256_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
