"""Writes `costs.json`: what the timed workloads of the shipped problems cost, as the problems say.

`python -m warpbook.kernels.costing` writes it anew; a test holds it to the problems.
"""

import json
from typing import Any

from warpbook.core.codec import encode
from warpbook.kernels.costs import FILE, Timed
from warpbook.kernels.library import problem_names
from warpbook.kernels.shelf import load_problem


def worked_out() -> dict[str, dict[str, Any]]:
    """From the problems themselves."""
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
