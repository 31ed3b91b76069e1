"""What a change is held against when nobody says: the rung that is fastest on this device."""

import re

from warpbook.cli.guard import say
from warpbook.core.errors import BadInput, Missing
from warpbook.core.machine import environment
from warpbook.core.standing import Mark
from warpbook.core.units import microseconds
from warpbook.kernels.library import Outline
from warpbook.kernels.rung import Rung
from warpbook.measure.standing import latest_marks, readable_rungs

RUN = re.compile(r"[RrMm]-?\d+")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\s*(x|%|us|ms|s)?")


def refuse_the_past(text: str) -> None:
    """A baseline runs in turns with the change: neither an earlier run nor a number can be one."""
    kind = "an earlier run" if RUN.fullmatch(text.strip()) else None
    kind = "a number" if NUMBER.fullmatch(text.strip()) else kind
    if kind:
        raise BadInput(
            f"the baseline {text!r} is {kind}: both arms run in turns in every run, since a "
            "machine is not the same from one hour to the next; name a rung, a file or a command"
        )


def best_rung(outline: Outline, workload: str, device: str) -> tuple[Rung, str]:
    """The rung, and why it is that one."""
    rungs = dict(readable_rungs(outline))
    able = [
        rungs[name] for name in outline.ladder if name in rungs and timed_on(rungs[name], device)
    ]
    if not able:
        raise BadInput(
            f"{outline.name} has no rung that is timed on {device}; give the baseline by "
            "--against FILE"
        )
    marks = here(outline, device, rungs)
    timed = [rung for rung in able if (rung.name, workload) in marks]
    if not timed:
        return able[-1], "the highest rung; none has a time here yet"
    best = min(timed, key=lambda rung: marks[rung.name, workload].us)
    mark = marks[best.name, workload]
    return best, f"the fastest rung here: {microseconds(mark.us)} on {mark.when[:10]}"


def here(outline: Outline, device: str, rungs: dict[str, Rung]) -> dict[tuple[str, str], Mark]:
    try:
        name = environment(device)["device"]
    except Missing:  # queued for a machine that has one
        return {}
    marks, warnings = latest_marks(outline, name, rungs)
    for line in warnings:
        say(line)
    return marks


def timed_on(rung: Rung, device: str) -> bool:
    return device == "cuda" or not (rung.needs_gpu or rung.interpreted_on_cpu)
