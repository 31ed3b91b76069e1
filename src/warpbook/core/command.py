"""A shell command and the files it names: what it is, as a hash, so that a script that was edited
is another program.

Only words of the command itself count: what those files import or read is not known here. Nor are
`.env` files, which hold keys, and what a `>` writes to.
"""

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from warpbook.core.run import Arm, NamedFile, Plan

SIGNS = frozenset("();<>|&")
LARGEST = 16 << 20  # larger ones are data: they count by their size


def command_sha256(command: str, files: Sequence[NamedFile]) -> str:
    """Of its text alone where it names no file."""
    parts = [command, *(part for file in files for part in (file.path, file.sha256))]
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()


def hashed_files(command: str, cwd: str | Path) -> tuple[NamedFile, ...]:
    """As they are now, in the order of their first mention."""
    found = []
    for written, path in named_files(command, cwd).items():
        if digest := content_sha256(path):
            found.append(NamedFile(written, digest))
    return tuple(found)


def named_files(command: str, cwd: str | Path) -> dict[str, Path]:
    """The plain files among its words, by how they are written: `train.py`, `--config=a.yaml`."""
    found = {}
    for part in parts(command):
        path = place(part, cwd)
        if path and not path.name.startswith(".env"):
            found[part] = path
    return found


def parts(command: str) -> Iterator[str]:
    """Its words, and what follows an equals sign in one; not those that it writes to."""
    found = words(command)
    written = {word for sign, word in pairwise(found) if ">" in sign and SIGNS.issuperset(sign)}
    for word in found:
        if word not in written:
            yield from filter(None, (word, word.partition("=")[2]))


def words(command: str) -> list[str]:
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        return list(reader)
    except ValueError:
        return command.split()


def place(part: str, cwd: str | Path) -> Path | None:
    """Where a file is, if it is one."""
    try:
        path = Path(part).expanduser() if part.startswith("~/") else Path(part)
        path = (cwd / path).resolve()
        return path if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def content_sha256(path: Path) -> str | None:
    """None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            size = path.stat().st_size
            if size > LARGEST:
                return f"{size} bytes"
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def changes(plan: Plan, when: str) -> list[str]:
    """What of the files that the plan names is no longer so: `train.py was changed while it ran`.
    A file that was not there when the plan was made is not looked at: it may be what is written.
    """
    found = {}
    for file in (*plan.baseline.files, *plan.change.files):
        here = now(file, plan.cwd)
        if here is None:
            found[file.path] = f"{file.path} is not in {plan.cwd}"
        elif here != file:
            found[file.path] = f"{file.path} was changed {when}"
    return [*found.values()]


def as_it_is_now(plan: Plan) -> Plan:
    """The plan with the files it names as they are here; one that is not here stays as it was."""
    return replace(
        plan,
        baseline=arm_now(plan.baseline, plan.cwd),
        change=arm_now(plan.change, plan.cwd),
    )


def arm_now(arm: Arm, cwd: str) -> Arm:
    if not arm.files:
        return arm
    files = tuple(now(file, cwd) or file for file in arm.files)
    if files == arm.files:
        return arm
    return replace(arm, files=files, sha256=command_sha256(arm.command, files))


def now(file: NamedFile, cwd: str) -> NamedFile | None:
    path = place(file.path, cwd)
    digest = content_sha256(path) if path else None
    return NamedFile(file.path, digest) if digest else None
