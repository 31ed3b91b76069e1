"""A file that is there whole, or not at all.

It is built beside its name, brought to the disk and only then renamed. Knows nothing of contents.
"""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warpbook.core.errors import BadInput, Missing


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """The path to build at; on leaving without an error it becomes `target`, which must not be
    there yet. Whatever goes wrong, nothing is left behind."""
    if target.exists() or target.is_symlink():
        raise BadInput(f"{target} is there already; give a name that is new")
    if not target.parent.is_dir():
        raise BadInput(f"{target.parent} is no folder; make it first")
    building = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.new")
    try:
        yield building
        bring_to_disk(building)
        if target.exists():
            raise BadInput(f"{target} is there already; give a name that is new")
        building.rename(target)
        bring_to_disk(target.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Missing(f"{target}: could not be written: {reason}; nothing was left there") from None
    finally:
        remove(building)


def bring_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return
