"""Running the command line as its users do: in a process of its own."""

import os
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest


class CommandLine:
    """Runs `warpbook` and knows its processes by a mark in their environment."""

    def __init__(self):
        self.mark = f"WARPBOOK_TEST={uuid.uuid4().hex}"
        name, _, value = self.mark.partition("=")
        self.environment = {**os.environ, name: value}

    def __call__(self, *arguments, environment=None):
        return subprocess.run(
            [sys.executable, "-m", "warpbook", *map(str, arguments)],
            env=self.environment | (environment or {}),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def start(self, *arguments):
        return subprocess.Popen(
            [sys.executable, "-m", "warpbook", *map(str, arguments)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def left_over(self):
        """The processes that are still there, given a moment to go."""
        deadline = time.monotonic() + 5
        while (found := self._processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def _processes(self):
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(folder.name)
        return found


@pytest.fixture
def warpbook():
    command = CommandLine()
    yield command
    assert command.left_over() == []
