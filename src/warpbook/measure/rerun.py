"""The caller's side of `replay`: how a rung is run again by itself, and the lines it then prints.

Imports no torch: that is for the process it starts.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.core.codec import decode
from warpbook.core.errors import WarpbookError
from warpbook.kernels.rung import Rung
from warpbook.measure.launch import Replayed
from warpbook.measure.tools import run_tool
from warpbook.measure.zygote import ENVIRONMENT, import_path

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem

LIMIT_S = 180.0
BEGIN, FAILED = "warpbook replays", "warpbook failed on"


class NotReplayed(WarpbookError):
    """The rung did not run again by itself."""

    exit_status = 1


def command(problem: "Problem", rung: Rung, workloads: Sequence[str], *flags: str) -> list[str]:
    module = [sys.executable, "-m", "warpbook.measure.replay"]
    return [*module, str(problem.folder), str(rung.path), *workloads, *flags]


def environment(**more: str) -> Mapping[str, str]:
    return ENVIRONMENT | {"PYTHONPATH": import_path()} | more


def trace(problem: "Problem", rung: Rung, workload: str) -> Replayed:
    """What one call launches."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        replay = command(problem, rung, [workload], "--report", str(report))
        ran = run_tool(replay, environment(), LIMIT_S)
        if report.exists():
            return decode(Replayed, json.loads(report.read_text()))
    if ran.status is None:
        raise NotReplayed(f"{rung.name} was not done on {workload} after {LIMIT_S:.0f} s")
    raise NotReplayed(f"{rung.name} did not run again: {last_line(ran.output)}")


def last_line(output: str) -> str:
    told = [line.strip() for line in output.splitlines() if line.strip()]
    return told[-1] if told else "it said nothing"
