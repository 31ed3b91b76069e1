"""What a change is held against when nobody says: the rung that is fastest on this device.

The times are those that `warpbook standings` tells of, asked of a child process.
"""

import re

from warpbook.core.codec import decode
from warpbook.core.errors import BadInput, Missing
from warpbook.core.machine import environment
from warpbook.core.standing import Mark
from warpbook.core.units import microseconds
from warpbook.kernels.library import Outline, readable_rungs
from warpbook.kernels.rung import Rung
from warpbook.lab.document import document_of

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
    rungs = {rung.name: rung for rung in readable_rungs(outline)}
    able = [
        rungs[name] for name in outline.ladder if name in rungs and timed_on(rungs[name], device)
    ]
    if not able:
        raise BadInput(
            f"{outline.name} has no rung that is timed on {device}; give the baseline by "
            "--against FILE"
        )
    marks = marks_here(outline, workload, device)
    timed = [(marks[rung.sha256], rung) for rung in able if rung.sha256 in marks]
    if not timed:
        return able[-1], "the highest rung; none has a time here yet"
    mark, best = min(timed, key=lambda pair: pair[0].us)
    return best, f"the fastest rung here: {microseconds(mark.us)} on {mark.when[:10]}"


def marks_here(outline: Outline, workload: str, device: str) -> dict[str, Mark]:
    """The latest of each rung on this machine's device, by the hash of what was timed."""
    try:
        name = environment(device)["device"]
    except Missing:  # queued for a machine that has one
        return {}
    document = document_of("standings", str(outline.folder))
    marks = [decode(Mark, mark) for mark in document["marks"]]
    return {
        mark.sha256: mark
        for mark in marks
        if not mark.own and mark.workload == workload and mark.device == name
    }


def timed_on(rung: Rung, device: str) -> bool:
    return device == "cuda" or not (rung.needs_gpu or rung.interpreted_on_cpu)
