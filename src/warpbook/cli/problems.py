"""`warpbook problems`: what there is to solve, on which workloads, and how others have."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from warpbook.cli import options
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.kernels.library import problem_names
from warpbook.kernels.rung import Rung

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem


@guarded
def problems(
    problem: Annotated[
        str | None,
        typer.Argument(metavar="[PROBLEM]", help="A problem's name or folder; all without it."),
    ] = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """List the problems that come with Warpbook, their workloads and their rungs."""
    from warpbook.kernels.shelf import load_ladder, load_problem

    shelf = [load_problem(name) for name in ([problem] if problem else problem_names())]
    ladders = [load_ladder(problem) for problem in shelf]
    if json:
        show_json([problem_json(p, rungs) for p, rungs in zip(shelf, ladders, strict=True)])
        return 0
    for found, rungs in zip(shelf, ladders, strict=True):
        show_problem(console(), found, rungs)
    return 0


def show_problem(screen: Console, problem: "Problem", rungs: list[Rung]) -> None:
    screen.print(problem.name, style="bold")
    for device in ("cpu", "cuda"):
        timed = [w.name for w in problem.workloads if device in w.timed_on]
        screen.print(f"  timed on {device}: {', '.join(timed) or 'none'}")
    catching = [w.name for w in problem.workloads if not w.timed]
    screen.print(f"  to catch mistakes: {', '.join(catching) or 'none'}")
    for rung in rungs:
        screen.print(f"  rung {rung.name} ({rung.language}): {rung.title}")


def problem_json(problem: "Problem", rungs: list[Rung]) -> dict[str, Any]:
    return {
        "name": problem.name,
        "ladder": problem.ladder,
        "peers": problem.peers,
        "sizes": problem.sizes,
        "workloads": list(problem.workloads),
        "rungs": [
            {
                "name": rung.name,
                "title": rung.title,
                "idea": rung.idea,
                "language": rung.language,
                "expected_gain": rung.expected_gain,
            }
            for rung in rungs
        ],
    }
