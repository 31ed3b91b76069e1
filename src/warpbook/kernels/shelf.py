"""Finding problems and their rungs: the built-in ones by name, a user's own by folder."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

from warpbook.core.errors import BadInput
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung, read_rung

BUILT_IN = Path(__file__).parent


def problem_names() -> list[str]:
    return sorted(path.parent.name for path in BUILT_IN.glob("*/problem.py"))


def problem_folder(name: str) -> Path:
    """The folder of a built-in problem, or `name` itself as a path; imports nothing."""
    if (BUILT_IN / name / "problem.py").is_file() and "/" not in name:
        return BUILT_IN / name
    folder = Path(name)
    if not folder.is_dir():
        known = ", ".join(problem_names())
        raise BadInput(f"no problem {name!r}: give one of {known}, or a folder with a problem.py")
    if not (folder / "problem.py").is_file():
        raise BadInput(f"{folder}: a problem is a folder with a problem.py, and there is none")
    return folder.resolve()


def load_problem(name: str) -> Problem:
    """Import a problem's own file. It is trusted: it decides what is right."""
    file = problem_folder(name) / "problem.py"
    module_name = f"warpbook_problem_{file.parent.name}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{file}: {type(error).__name__}: {error}") from error
    problem = getattr(module, "problem", None)
    if not isinstance(problem, Problem):
        raise BadInput(f"{file}: must define `problem = Problem(...)`")
    if not problem.name.isidentifier():
        raise BadInput(f"{file}: the problem's name {problem.name!r} is not a function name")
    return replace(problem, folder=file.parent)


def load_rung(problem: Problem, name: str) -> Rung:
    if name not in problem.ladder:
        known = ", ".join(problem.ladder) or "none"
        raise BadInput(f"{problem.name} has no rung {name!r}; its ladder is: {known}")
    return read_rung(problem.folder / "rungs" / f"{name}.py", problem.name)


def load_ladder(problem: Problem) -> list[Rung]:
    return [load_rung(problem, name) for name in problem.ladder]
