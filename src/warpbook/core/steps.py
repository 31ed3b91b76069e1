"""The steps of a run, for whoever watches it: one line of JSON a step, written by its processes.

The measuring process finds the file by a variable of its environment, opens it before any
candidate is started, and never hands the variable on. Knows nothing of what a step is about.
"""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warpbook.core.text import printable

VARIABLE = "WARPBOOK_STEPS"
LONGEST = 200
MOST_BYTES = 1 << 20
FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True)
class Step:
    """`at` is when it began, in UTC."""

    at: str
    text: str


class Steps:
    """Appends every change of step; a file that cannot be written holds nothing up."""

    def __init__(self, path: Path | None) -> None:
        self._last = ""
        self._file: int | None = None
        if path is None:
            return
        try:
            self._file = os.open(path, FLAGS | os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError:
            return

    def __call__(self, text: str) -> None:
        text = shown(text)
        if self._file is None or text == self._last:
            return
        self._last = text
        line = {"at": datetime.now(UTC).isoformat(timespec="microseconds"), "text": text}
        try:
            if os.fstat(self._file).st_size < MOST_BYTES:
                os.write(self._file, json.dumps(line).encode() + b"\n")
        except OSError:
            return


def steps_here() -> Steps:
    """Of the run that this process is part of, if it is of one."""
    path = os.environ.get(VARIABLE)
    return Steps(Path(path) if path else None)


def without_steps(environment: Mapping[str, str]) -> dict[str, str]:
    """For processes that run what is measured."""
    return {name: value for name, value in environment.items() if name != VARIABLE}


def read(path: Path) -> list[Step]:
    """What can be read of it: a candidate can write to any file of its user."""
    try:
        descriptor = os.open(path, FLAGS | os.O_RDONLY)
    except OSError:
        return []
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return []
    with open(descriptor, "rb") as file:
        lines = file.read(MOST_BYTES).splitlines()
    return [step for line in lines if (step := parsed(line)) is not None]


def parsed(line: bytes) -> Step | None:
    try:
        found = json.loads(line)
        at, text = found["at"], found["text"]
        if datetime.fromisoformat(at).tzinfo is None:
            return None
        return Step(at, shown(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def shown(text: str) -> str:
    text = printable(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
