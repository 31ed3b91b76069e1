"""Loading problems and their rungs: the built-in ones by name, a user's own by folder."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from warpbook.core.errors import BadInput
from warpbook.kernels.library import Outline, find_rung, problem_folder
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung


def load_problem(name: str) -> Problem:
    """Import a problem's own file. It is trusted: it decides what is right."""
    file = problem_folder(name) / "problem.py"
    try:
        module = import_file(f"warpbook_problem_{file.parent.name}", file)
    except Exception as error:
        raise BadInput(f"{file}: {type(error).__name__}: {error}") from error
    problem = getattr(module, "problem", None)
    if not isinstance(problem, Problem):
        raise BadInput(f"{file}: must define `problem = Problem(...)`")
    if not problem.name.isidentifier():
        raise BadInput(f"{file}: the problem's name {problem.name!r} is not a function name")
    return replace(problem, folder=file.parent)


def import_file(name: str, path: Path) -> ModuleType:
    """The module in a file that is on no path, under this name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_rung(problem: Problem, name: str) -> Rung:
    return find_rung(outline_of(problem), name)


def load_ladder(problem: Problem) -> list[Rung]:
    return [load_rung(problem, name) for name in problem.ladder]


def outline_of(problem: Problem) -> Outline:
    return Outline(problem.folder, problem.name, problem.ladder, problem.peers, problem.sizes)
