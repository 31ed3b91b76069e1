"""A site's folder: built beside its place and put there in one step, the old one or the new one
whenever somebody looks.

A folder is only replaced if this wrote it before; files in it that it did not write come along.
Knows nothing of what is in the pages.
"""

import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path, PurePosixPath

from warpbook.core.errors import BadInput, Missing
from warpbook.journal.texts.exchange import swapped

MARK = ".warpbook-site"  # in every site: which files are its own


def write(target: Path, files: Mapping[str, str]) -> bool:
    """`files` by their paths below the site. Whether there was a site before."""
    target = Path(os.path.realpath(target.expanduser()))
    try:
        restore(target)
        before = checked(target)
        clear(target)
        with building(target) as made:
            fill(made, files)
            if before is not None:
                carry(target, made, before, files)
            put(made, target, before is not None)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Missing(f"{target}: could not be written: {reason}; it is as it was") from None
    return before is not None


def checked(target: Path) -> set[str] | None:
    """The files that the site there has of its own; None where there is none yet."""
    if not target.parent.is_dir():
        raise BadInput(f"{target.parent} is no folder; make it first")
    if not os.path.lexists(target):
        return None
    if not target.is_dir():
        raise BadInput(f"{target} is a file; give a folder that is new")
    if not any(target.iterdir()):
        return None
    own = own_files(target)
    if own is None:
        raise BadInput(
            f"{target} is there already, and no site that Warpbook wrote; give a folder that is new"
        )
    return own


def own_files(folder: Path) -> set[str] | None:
    try:
        said = json.loads((folder / MARK).read_text(encoding="utf-8"))
        return {str(name) for name in said["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """A new folder beside the target, locked while it is built; then it is gone, whatever is in it
    by then."""
    made = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.new")
    made.mkdir()
    try:
        with locked(made):
            yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """BlockingIOError where somebody else has it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def fill(made: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (made / MARK).write_text(json.dumps({"files": sorted(files)}, indent=0), encoding="utf-8")


def carry(old: Path, made: Path, own: set[str], files: Mapping[str, str]) -> None:
    """What somebody else put into the folder, such as .git or CNAME, is in the new one too."""
    known = own | {MARK} | {str(PurePosixPath(name).parent) for name in own}
    for path in sorted(old.rglob("*")):  # a folder before what is in it
        inside = path.relative_to(old).as_posix()
        if inside in known or any(parent.is_symlink() for parent in between(path, old)):
            continue
        if inside in files:
            raise BadInput(f"{path} is not of the site, and in its way; move it first")
        (made / inside).parent.mkdir(parents=True, exist_ok=True)
        copy(path, made / inside)


def between(path: Path, old: Path) -> list[Path]:
    return [parent for parent in path.parents if parent.is_relative_to(old) and parent != old]


def copy(path: Path, to: Path) -> None:
    """The file itself under a second name, where the disk can do that: .git may be large."""
    if path.is_symlink():
        to.symlink_to(os.readlink(path))
        return
    if path.is_dir():
        to.mkdir(exist_ok=True)
        return
    try:
        os.link(path, to)
    except OSError:
        shutil.copy2(path, to)


def put(made: Path, target: Path, is_there: bool) -> None:
    """`made` then is what was there before, or nothing."""
    if not is_there:
        made.rename(target)  # an empty folder may be in its place
    elif not swapped(made, target):
        aside = made.with_suffix(".old")
        target.rename(aside)
        try:
            made.rename(target)
        except OSError:
            aside.rename(target)
            raise
        shutil.rmtree(aside, ignore_errors=True)


def restore(target: Path) -> None:
    """Where the disk cannot swap two folders, one that was killed in between left none."""
    for aside in sorted(target.parent.glob(f".{escape(target.name)}.????????.old")):
        if not os.path.lexists(target) and own_files(aside) is not None:
            aside.rename(target)


def clear(target: Path) -> None:
    """What others that were killed left beside it: nobody has it locked."""
    for left in target.parent.glob(f".{escape(target.name)}.????????.new"):
        with suppress(OSError), locked(left):
            shutil.rmtree(left, ignore_errors=True)
