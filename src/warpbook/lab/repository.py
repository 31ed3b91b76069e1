"""The git repository around a run: its commit, and what was changed since.

Ignored files, `.env` files and the book itself are left out of the changes. Only reads: the user's
index stays as it is.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warpbook.book.folder import DATABASE, RUNS
from warpbook.book.run_folder import DIFF

GIT = (
    *("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"),
    *("-c", "core.untrackedCache=false"),
)
LIMIT_S = 30.0
LARGEST_FILE = 1 << 20
LARGEST_DIFF = 8 << 20
PRIVATE = tuple(f":(top,exclude,glob)**/{name}" for name in (".env*", ".env*/**", "*.env"))


def state(cwd: Path, folder: Path) -> dict[str, Any] | None:
    """None outside of a repository. The changes go to diff.patch in the run's folder."""
    top = git(cwd, "rev-parse", "--show-toplevel")
    if top is None:
        return None
    root = Path(os.fsdecode(top).rstrip("\n"))
    commit = git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    found: dict[str, Any] = {"root": str(root), "commit": (commit or b"").decode().strip()}
    if not commit:
        return found | {"note": "no commit yet"}
    diff, notes = changes(root, folder)
    if len(diff) > LARGEST_DIFF:
        notes.append(f"the changes are {len(diff)} bytes; only the first {LARGEST_DIFF} are kept")
        diff = diff[:LARGEST_DIFF]
    if diff:
        (folder / DIFF).write_bytes(diff)
    return found | {"changed": bool(diff), "diff": DIFF if diff else None, "notes": notes}


def changes(root: Path, folder: Path) -> tuple[bytes, list[str]]:
    """Tracked and new files alike. New ones are announced to a copy of the index: announcing stores
    nothing in the repository."""
    paths = (".", *PRIVATE, *book_paths(root, folder))
    new, notes = new_files(root, paths)
    index = git(root, "rev-parse", "--path-format=absolute", "--git-path", "index")
    with tempfile.TemporaryDirectory(prefix="warpbook-") as scratch:
        copy = Path(scratch) / "index"
        if index is not None and os.path.exists(source := os.fsdecode(index).rstrip("\n")):
            shutil.copy(source, copy)
        if new:
            listed = b"\0".join(map(os.fsencode, new))
            git(root, "add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul",
                index=copy, given=listed)  # fmt: skip
        diff = git(
            root, *("diff", "HEAD", "--binary", "--no-color", "--no-ext-diff", "--no-textconv"),
            *("--ignore-submodules=dirty", "--", *paths), index=copy,
        )  # fmt: skip
    if diff is None:
        return b"", [*notes, "git could not tell the changes"]
    return diff, notes


def new_files(root: Path, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    listed = git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *paths) or b""
    new, notes = [], []
    for name in map(os.fsdecode, filter(None, listed.split(b"\0"))):
        try:
            size = (root / name).lstat().st_size
        except OSError:
            continue
        if size > LARGEST_FILE:
            notes.append(f"{name} is new, and left out for its {size} bytes")
        else:
            new.append(f":(top,literal){name}")
    return new, notes


def book_paths(root: Path, folder: Path) -> list[str]:
    """What keeps changing while a run goes on, where the book lies inside the repository."""
    book = folder.resolve().parent.parent
    if not book.is_relative_to(root.resolve()):
        return []
    inside = book.relative_to(root.resolve())
    return [
        f":(top,exclude,glob){inside / name}"
        for name in (f"{DATABASE}*", f"{RUNS}/**", "workers/**")
    ]


def git(
    where: Path, *words: str, index: Path | None = None, given: bytes | None = None
) -> bytes | None:
    """What it printed; None where it failed or there is no git."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment = {**own, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        ended = subprocess.run(
            [*GIT, *words],
            cwd=where, env=environment, input=given or b"", capture_output=True,
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None
