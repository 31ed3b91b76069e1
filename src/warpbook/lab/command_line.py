"""The measuring command line of a plan, and the files its arms need.

Knows how `compare` and `compare-commands` are called, and nothing of what they print.
"""

import re
import sys
from pathlib import Path

from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, Plan

# Not the folder it runs in: a file there could stand in for one of Python's modules.
WARPBOOK = (sys.executable, "-P", "-m", "warpbook")


def command_line(plan: Plan, folder: Path) -> list[str]:
    """Writes the arms' sources under `folder`, in a folder of their own each."""
    if plan.kind == "kernel":
        return kernel_line(plan, folder / "arms")
    if plan.kind == "command":
        return commands_line(plan)
    raise BadInput(f"a plan of kind {plan.kind!r}: this version runs kernel and command")


def kernel_line(plan: Plan, folder: Path) -> list[str]:
    return [
        *WARPBOOK,
        "compare",
        *(f"--workload={plan.workload}", f"--device={plan.device}", f"--limit={plan.limit_s:g}"),
        "--json",
        "--",
        plan.problem,
        rung_of(plan.baseline, folder / "baseline"),
        rung_of(plan.change, folder / "change"),
    ]


def commands_line(plan: Plan) -> list[str]:
    return [
        *WARPBOOK,
        "compare-commands",
        f"--baseline={plan.baseline.command}",
        f"--change={plan.change.command}",
        *(f"--metric={metric_word(metric)}" for metric in plan.metrics),
        *(f"--blocks={plan.blocks}", f"--device={plan.device}", f"--limit={plan.limit_s:g}"),
        "--json",
    ]


def metric_word(metric: Metric) -> str:
    return f"{metric.name}:{metric.better}:{metric.scale}:{metric.unit}"


def rung_of(arm: Arm, folder: Path) -> str:
    """A shipped rung by its name, or the path of its text."""
    if arm.text is None and arm.cuda is None:
        return arm.rung
    folder.mkdir(parents=True, exist_ok=True)
    stem = safe_stem(arm.rung)
    for suffix, text in ((".cu", arm.cuda), (".py", arm.text)):
        if text is not None:
            path = folder / f"{stem}{suffix}"
            path.write_text(text, encoding="utf-8")
    return str(path)


def safe_stem(rung: str) -> str:
    """A file name that cannot lead out of its folder, and that Python can import."""
    stem = re.sub(r"\W", "_", Path(rung).stem, flags=re.ASCII)[:80]
    return stem if stem and not stem[0].isdigit() else f"rung_{stem}"
