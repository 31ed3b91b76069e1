"""Which workloads a problem has, for a plan that does not measure yet.

Read from the problem's file where it spells them out, or from what is kept of shipped problems;
else asked of a child process, since loading a problem imports torch.
"""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warpbook.core.errors import BadInput
from warpbook.kernels.costs import costs_of
from warpbook.kernels.library import (
    BUILT_IN,
    Outline,
    problem_folder,
    problem_keywords,
    problem_names,
    read_outline,
    texts,
)
from warpbook.lab.document import document_of


@dataclass(frozen=True)
class Sized:
    """A workload's name, and the devices it is timed on."""

    name: str
    timed_on: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """A problem as far as a plan needs it."""

    outline: Outline
    workloads: tuple[Sized, ...]

    @property
    def problem(self) -> str:
        """As a plan names it: a name, or the folder of a user's own."""
        folder = self.outline.folder
        return folder.name if folder.parent == BUILT_IN else str(folder)

    def first_timed(self, device: str) -> str:
        for workload in self.workloads:
            if device in workload.timed_on:
                return workload.name
        raise BadInput(f"{self.outline.name} has no workload that is timed on {device}")

    def checked(self, name: str, device: str) -> str:
        timed = [w.name for w in self.workloads if device in w.timed_on]
        if name not in {w.name for w in self.workloads}:
            raise BadInput(
                f"{self.outline.name} has no workload {name!r}; timed on {device} are: "
                f"{', '.join(timed) or 'none'}"
            )
        if name not in timed:
            raise BadInput(
                f"the workload {name} is not timed on {device}; those that are: "
                f"{', '.join(timed) or 'none'}"
            )
        return name


def known_problem(name: str, workload: str | None = None) -> Known:
    """`workload` is the one that is asked for, if any: a shipped problem's timed ones are known
    without a child, all others are not."""
    outline, spelled = read_outline(name), spelled_out(name)
    if outline and spelled:
        return Known(outline, spelled)
    shipped = shipped_workloads(name)
    if outline and shipped and workload in (None, *(w.name for w in shipped)):
        return Known(outline, shipped)
    return asked_of_a_child(name)


def shipped_workloads(name: str) -> tuple[Sized, ...]:
    if name not in problem_names():
        return ()
    return tuple(Sized(w, timed.timed_on) for w, timed in costs_of(name).items())


def spelled_out(name: str) -> tuple[Sized, ...] | None:
    """From `workloads=(Workload("64", (64,), timed_on=("cpu",)), ...)`, if it is written so."""
    tree = ast.parse((problem_folder(name) / "problem.py").read_bytes())
    match problem_keywords(tree).get("workloads"):
        case ast.Tuple(elts=items) | ast.List(elts=items):
            found = [sized(item) for item in items]
            return None if None in found else tuple(w for w in found if w)
    return None


def sized(node: ast.expr) -> Sized | None:
    match node:
        case ast.Call(
            func=ast.Name(id="Workload"), args=[ast.Constant(value=str(name)), _], keywords=keywords
        ):
            given = {keyword.arg: keyword.value for keyword in keywords}
            if None in given:
                return None
            timed = texts(given["timed_on"]) if "timed_on" in given else ()
            return None if timed is None else Sized(name, timed)
    return None


def asked_of_a_child(name: str) -> Known:
    folder = problem_folder(name)
    (document,) = document_of("problems", str(folder))
    return Known(outline_from(folder, document), workloads_from(document))


def outline_from(folder: Path, document: dict[str, Any]) -> Outline:
    ladder, peers, sizes = (tuple(document[key]) for key in ("ladder", "peers", "sizes"))
    return Outline(folder, document["name"], ladder, peers, sizes)


def workloads_from(document: dict[str, Any]) -> tuple[Sized, ...]:
    return tuple(Sized(w["name"], tuple(w["timed_on"])) for w in document["workloads"])
