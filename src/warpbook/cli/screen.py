"""Where output goes: tables or one JSON document on stdout, progress and warnings on stderr."""

import json
import sys
import time
from types import TracebackType
from typing import IO, Any

from rich.console import Console
from rich.status import Status
from rich.table import Table

from warpbook.core.codec import encode
from warpbook.core.steps import steps_here

PLAIN_COLUMNS = 100
EVERY_S = 5.0


def console(stream: IO[str] | None = None) -> Console:
    stream = stream or sys.stdout
    width = None if stream.isatty() else PLAIN_COLUMNS
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def plain_table() -> Table:
    return Table(box=None, padding=(0, 1), pad_edge=False, header_style="dim")


def show_json(document: Any) -> None:
    print(json.dumps(encode(document), allow_nan=False, indent=2))


class Progress:
    """A callable for short lines such as `softmax online 64x64`: a spinner on a terminal,
    elsewhere a plain line every few seconds at most. In a run of the lab each is a step of it."""

    def __init__(self) -> None:
        self._next = time.monotonic() + EVERY_S
        self._steps = steps_here()
        screen = console(sys.stderr)
        self._status = Status("", console=screen) if screen.is_terminal else None

    def __enter__(self) -> "Progress":
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, line: str) -> None:
        self._steps(line)
        if self._status:
            self._status.update(line)
            return
        if time.monotonic() >= self._next:
            print(line, file=sys.stderr, flush=True)
            self._next = time.monotonic() + EVERY_S
