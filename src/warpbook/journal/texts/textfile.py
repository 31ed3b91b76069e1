"""Text files that people edit too: read whole, written whole or not at all, never overwritten.

What is to be written is built beside the file and brought to the disk; then both change places in
one step, and what came out is looked at. If it is not what was read, somebody wrote meanwhile: it
goes back, and the change is made to it instead. What cannot be settled is kept beside the file, as
`<name>.kept-<time>`. Knows nothing of what the text says.
"""

import errno
import glob
import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from warpbook.book.new_file import bring_to_disk, remove
from warpbook.core.errors import BadInput, Missing, NotFound, Taken
from warpbook.journal.texts import exchange
from warpbook.journal.texts.encoding import decoded, encoded
from warpbook.journal.texts.lock import locked

MOST_BYTES = 10_000_000
KEPT = ".kept-"
TRIES = 10
LONGEST_LINE = 1_000_000  # of a file that lines are appended to
QUIET_S = 0.2  # how long each of them waits for a program that has the file open for writing
LOOK_S = 0.01  # between two looks at whether it still has


@dataclass(frozen=True)
class Text:
    """`content` has "\\n" at the ends of lines, whatever the file has; `sha256` is of its bytes."""

    path: Path
    content: str
    sha256: str


def read(path: Path) -> Text:
    data = contents(path)
    if data is None:
        raise NotFound(f"{path}: no such file")
    return text_of(path, data)


def edit(path: Path, change: Callable[[str], str]) -> Text:
    """`change` gets the content, "" where there is no file, and may be called again when somebody
    wrote meanwhile. Where it changes nothing, nothing is written."""

    def wanted(data: bytes | None) -> bytes:
        before = decoded(path, data or b"")
        return encoded(path, data, before, change(before))

    return written(path, wanted)


def create(path: Path, content: str) -> Text:
    def wanted(data: bytes | None) -> bytes:
        if data is not None:
            raise Taken(f"{path} is there already")
        return encoded(path, None, "", content)

    return written(path, wanted)


def replace(path: Path, expected_sha256: str, content: str) -> Text:
    """For what was typed into a form: refused where the file is no longer what was shown."""

    def wanted(data: bytes | None) -> bytes:
        old = decoded(path, data or b"")
        new = encoded(path, data, old, content)
        if sha256(data or b"") != expected_sha256:
            kept = keep(followed(path), new)
            raise Taken(f"{path} has changed since; what you wrote is kept as {kept.name}")
        return new

    return written(path, wanted)


def append_line(path: Path, line: str) -> None:
    """One line at the end, on the disk when this returns. What a killed process left of a line is
    kept in a file of its own."""
    if "\n" in line:
        raise ValueError("one line, without an end of line in it")
    target = followed(path)
    with told(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(target):
            mend(target)
            add(target, line.encode() + b"\n")


@contextmanager
def held(path: Path) -> Iterator[None]:
    """While an editor has the file. Nobody of Warpbook changes it meanwhile, this process
    included."""
    target = followed(path)
    with ExitStack() as stack:
        with told(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(target, f"warpbook day, process {os.getpid()}"))
        yield


def is_kept(name: str) -> bool:
    """Whether a file of that name is a version that could not be put in place."""
    return KEPT in name


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def followed(path: Path) -> Path:
    """The file itself, where the path is a link to it."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise BadInput(f"{path}: a link that leads nowhere") from None


def contents(path: Path) -> bytes | None:
    """The bytes of a file; None where there is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadInput(f"{path}:1: not a plain file")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # Asked for all that a file may have, each read would make room for that.
            data = file.read(min(size, MOST_BYTES) + 1)
            if len(data) > size:  # it has grown
                data += file.read(MOST_BYTES + 1 - len(data))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"{path}:1: cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise too_large(path, size)
    return data


def too_large(path: Path, size: int) -> BadInput:
    return BadInput(
        f"{path}:1: {size / 1e6:.1f} MB is more than the {MOST_BYTES / 1e6:g} MB that a file of "
        "the journal may have; nothing was changed, split it"
    )


def text_of(path: Path, data: bytes) -> Text:
    return Text(path, decoded(path, data), sha256(data))


def written(path: Path, wanted: Callable[[bytes | None], bytes]) -> Text:
    """The file with the bytes that `wanted` makes of those it has."""
    target = followed(path)
    with told(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(target):
            sweep(target)
            for _ in range(TRIES):
                before = contents(target)
                after = wanted(before)
                if len(after) > MOST_BYTES:
                    raise too_large(path, len(after))
                if after == before or put(target, before, after):
                    return text_of(path, after)
            kept = keep(target, after)
    raise Taken(
        f"{path}: another program goes on writing to it; it was left alone, and what was to be "
        f"written is kept as {kept.name}"
    )


@contextmanager
def told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise Missing(f"{path}: could not be written: {reason}; nothing was changed") from error


def put(target: Path, before: bytes | None, after: bytes) -> bool:
    """Whether `after` is the file now; False where somebody wrote meanwhile, and theirs is."""
    made = beside(target, before, after)
    done = False
    if before is None:
        done = exchange.placed(made, target)
        remove(made)
    else:
        done = exchanged(made, target, before, after)
    bring_to_disk(target.parent)
    return done


def exchanged(made: Path, target: Path, before: bytes, after: bytes) -> bool:
    """Under the name `made` is, from the swap on, what was the file. It is removed only where it is
    known to be `before` or `after` and nobody has it open; `sweep` finds it if this is killed."""
    leases = exchange.quiet(made)
    ours = made.stat().st_ino
    try:
        if settled(target, leases) != before:  # so that hardly anybody comes between
            remove(made)
            return False
        if not exchange.swapped(made, target):
            made.replace(target)
            return True
    except FileNotFoundError:
        remove(made)
        return False
    if settled(made, leases) == before:
        remove(made)
        return stands(target, ours, before, after)
    put_back(made, target)
    if made.exists() and settled(made, leases) != after:
        kept = made.rename(kept_name(target))  # whoever has it open goes on writing there
        raise Taken(
            f"{target}: another program wrote to it twice meanwhile; its later text is kept as "
            f"{kept.name}, and nothing was added"
        )
    remove(made)
    return False


def stands(target: Path, ours: int, before: bytes, after: bytes) -> bool:
    """Whether the file is the one we put there, or one that somebody saved over it who had read
    what we added."""
    try:
        if target.stat().st_ino == ours:
            return True
        return after.startswith(before) and target.read_bytes().startswith(after)
    except FileNotFoundError:
        return False


def put_back(made: Path, target: Path) -> None:
    try:
        exchange.swapped(made, target)
    except FileNotFoundError:
        exchange.placed(made, target)


def settled(path: Path, leases: bool) -> bytes | None:
    """The bytes that nobody is still writing; None where somebody goes on for too long. Without
    leases, those that are there."""
    deadline = time.monotonic() + QUIET_S
    while leases and not exchange.quiet(path):
        if time.monotonic() > deadline:
            return None
        time.sleep(LOOK_S)
    return path.read_bytes()


def beside(target: Path, before: bytes | None, after: bytes) -> Path:
    """`after` in a file that is whole, on the disk, and named by what it is to replace."""
    part = target.with_name(f".{target.name}.part")
    names = "-".join(sha256(data or b"")[:16] for data in (before, after))
    made = target.with_name(f".{target.name}.{names}.new")
    try:
        with open(part, "wb") as file:
            if before is not None:
                take_over(file.fileno(), target)
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        return part.rename(made)
    except BaseException:
        remove(part)
        raise


def take_over(descriptor: int, target: Path) -> None:
    """The mode of the file that is there, and its owner where we may give it away."""
    try:
        there = target.stat()
    except FileNotFoundError:
        return  # it was taken away just now, which is noticed next
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file can only be read", str(target))
    ours = os.fstat(descriptor)
    if (there.st_uid, there.st_gid) != (ours.st_uid, ours.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, there.st_uid, there.st_gid)
    os.fchmod(descriptor, there.st_mode & 0o7777)


def sweep(target: Path) -> None:
    """What a killed process left beside the file. A text that is neither what it had read nor what
    it was to write is somebody's edit, taken out of its place and not put back: that is kept."""
    mark = f".{target.name}."
    with os.scandir(target.parent) as entries:
        left = [entry.name for entry in entries if entry.name.startswith(mark)]
    for name in left:
        path = target.with_name(name)
        if name.endswith(".new"):
            data = path.read_bytes()
            if sha256(data)[:16] not in name[len(mark) :]:
                keep(target, data)
        if name.endswith((".new", ".part")):
            path.unlink(missing_ok=True)


def keep(target: Path, data: bytes) -> Path:
    """A file of its own beside the one it could not become; the one that has it, where it was kept
    before."""
    for there in target.parent.glob(f"{glob.escape(target.stem)}{KEPT}*"):
        if there.is_file() and there.read_bytes() == data:
            return there
    kept = kept_name(target)
    with open(kept, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    bring_to_disk(kept.parent)
    return kept


def kept_name(target: Path) -> Path:
    now = datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in range(10_000):
        more = f"-{number}" if number else ""
        kept = target.with_name(f"{target.stem}{KEPT}{now}{more}{target.suffix}")
        if not kept.exists():
            return kept
    raise Missing(f"{target.parent}: too many files {target.stem}{KEPT}...; look through them")


def mend(target: Path) -> None:
    """A last line that was never finished is cut off and kept; one that only lacks its end, as
    people leave it, gets that."""
    try:
        with open(target, "rb+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - LONGEST_LINE, 0))
            torn = file.read().rpartition(b"\n")[2]
            if not torn:
                return
            try:
                json.loads(torn)
            except ValueError:
                keep(target, torn)
                file.truncate(size - len(torn))
            else:
                file.write(b"\n")
    except FileNotFoundError:
        return


def add(target: Path, line: bytes) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        try:
            if os.write(descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, "No space left on device", str(target))
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)
