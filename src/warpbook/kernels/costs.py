"""What the timed workloads of the shipped problems cost, kept in `costs.json` for those who must
not load a problem, since that imports torch.

`python -m warpbook.kernels.costs` writes the file anew from the problems; a test holds it to them.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from warpbook.core.codec import decode, encode
from warpbook.core.cost import Cost
from warpbook.kernels.library import BUILT_IN, problem_names

FILE = BUILT_IN / "costs.json"


@dataclass(frozen=True)
class Timed:
    """A workload's cost, and the devices it is timed on."""

    cost: Cost
    timed_on: tuple[str, ...]


@cache
def costs_of(problem: str) -> dict[str, Timed]:
    """By workload, in the problem's order; nothing for a problem that is not shipped."""
    known: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: decode(Timed, found) for name, found in known.get(problem, {}).items()}


def worked_out() -> dict[str, dict[str, Any]]:
    """From the problems themselves."""
    from warpbook.kernels.shelf import load_problem

    problems = {name: load_problem(name) for name in problem_names()}
    return {
        name: {
            workload.name: encode(Timed(problem.cost(workload), workload.timed_on))
            for workload in problem.workloads
            if workload.timed
        }
        for name, problem in problems.items()
    }


def spelled(found: dict[str, dict[str, Any]]) -> str:
    """A line a workload, so that a change of one is a line in a diff."""
    problems = []
    for problem, workloads in found.items():
        lines = [f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in workloads.items()]
        problems.append(f" {json.dumps(problem)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(problems) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(spelled(worked_out()), encoding="utf-8")
