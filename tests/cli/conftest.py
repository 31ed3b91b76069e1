"""Two ways to run the command line: as its users do, in a process of its own; and within this
process, where only what is shown matters."""

import json
import os
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app

GONE_S = 120.0


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
        """The processes that are still there, given time to go: the kernel ends them one by one."""
        deadline = time.monotonic() + GONE_S
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


class Said:
    def __init__(self, result):
        self.status = result.exit_code
        self.out = result.stdout
        self.err = result.stderr
        self.words = " ".join(result.stdout.split())
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception

    @property
    def document(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def say():
    """Runs a verb in this process; it must end as expected. One that judges needs `quick`."""

    def run(*arguments, status=0):
        said = Said(CliRunner().invoke(app, [str(a) for a in arguments]))
        assert said.status == status, said.out + said.err
        return said

    return run


@pytest.fixture(scope="module")
def quick():
    """Judging in this process, for tests of what is said about a time and not of the time. All
    judges of a file fork from one zygote, caches stay as they are, a time rests on the fewest
    rounds, and no neighbour on the machine makes it invalid or suspect."""
    from warpbook.core import statistics
    from warpbook.measure import contest, flush, judge, timing, watch

    lasting = {}

    class Lasting(judge.Zygote):
        def close(self):
            for pid in list(self._children):
                self.end(pid)

    def zygote(device):
        return lasting.get(device) or lasting.setdefault(device, Lasting(device))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "TIMES_THE_CACHE", 0)
        patch.setattr(watch, "CROWDED", 2.0)
        patch.setitem(statistics.BLOCKS, "cpu", (statistics.BLOCKS["cpu"][0],) * 2)
        patch.setitem(timing.PATIENCE, "cpu", timing.Patience(timing.LEAST_KEPT, 0.0))
        patch.setitem(timing.HARNESS_US, "cpu", dict.fromkeys(timing.HARNESS_US["cpu"], 1e6))
        patch.setitem(contest.MOST_ROUNDS, "cpu", 8)
        patch.setattr(judge, "Zygote", zygote)
        for name, value in judge.ENVIRONMENT.items():  # which a judge sets here, for good
            patch.setenv(name, value)
        yield
    for one in lasting.values():
        super(Lasting, one).close()
