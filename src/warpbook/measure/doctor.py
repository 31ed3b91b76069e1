"""Proof, on this machine, that the judge is not fooled: a corpus of cheats that it must beat,
honest controls that it must accept, and wrong answers that its checker must reject.

Knows the judge only as its users do. Each cheat's file says what it tries.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement, Status
from warpbook.core.units import interval_us
from warpbook.kernels.library import problem_folder, problem_names
from warpbook.kernels.problem import Problem, as_list
from warpbook.kernels.rung import defines, literals, read_rung
from warpbook.kernels.shelf import load_problem
from warpbook.measure.check import Checker
from warpbook.measure.judge import Judge

CORPUS = Path(__file__).parent / "corpus"
# A busy machine proves nothing; it is given time to calm down.
TRIES = 4
# Two equal rungs: one is below the other's interval once in ten, and where the machine's pace
# changes by the minute nearly every other time, but not six times running. A cheat that is seen
# through at once costs none of them.
REMATCHES = 5

WORDS = {
    "cheat": {True: "beaten", False: "slipped through", None: "n/a"},
    "control": {True: "accepted", False: "refused", None: "n/a"},
    "mutants": {True: "rejected", False: "slipped through", None: "n/a"},
}


@dataclass(frozen=True)
class Row:
    """`beaten` is None where the row cannot apply; of a control it says that it was accepted."""

    kind: str
    name: str
    what: str
    device: str
    judged: str
    time: str
    control: str
    beaten: bool | None
    why: str

    @property
    def word(self) -> str:
        return WORDS[self.kind][self.beaten]


@dataclass(frozen=True)
class Exhibit:
    """A file of the corpus: a rung, and against which problem and control it is set."""

    kind: str
    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self.path.read_bytes())

    @cached_property
    def _constants(self) -> dict[str, object]:
        return literals(self._tree)

    @property
    def title(self) -> str:
        return (ast.get_docstring(self._tree) or self.name).partition("\n")[0]

    @property
    def problem(self) -> str:
        return str(self._constants.get("PROBLEM", "normalise"))

    @property
    def control(self) -> str:
        return str(self._constants.get("CONTROL", self.problem))

    def runs_on(self, device: str) -> bool:
        return device in str(self._constants.get("DEVICES", "cpu cuda")).split()

    @property
    def may_be_skipped(self) -> bool:
        """It says itself when the machine lacks what its trick needs."""
        return defines(self._tree, "unavailable")


def exhibits(kind: str) -> list[Exhibit]:
    paths = sorted((CORPUS / f"{kind}s").glob("*.py"))
    return [Exhibit(kind, path) for path in paths if path.stem != "__init__"]


def run_doctor(
    device: str, only: str | None = None, progress: Callable[[str], None] | None = None
) -> list[Row]:
    names = {e.name for e in exhibits("control") + exhibits("cheat")}
    if only and only not in names | {folder.name for folder in problem_folders()}:
        raise BadInput(f"the doctor has no cheat, control or problem {only!r}")
    with Judge(device, limit_s=20.0, progress=progress) as judge:
        return examine_all(judge, only)


def examine_all(judge: Judge, only: str | None) -> list[Row]:
    """Controls first: the cheats are held to their times."""
    ward = Ward(judge)
    chosen = [e for e in exhibits("control") + exhibits("cheat") if only in (None, e.name)]
    folders = [folder for folder in problem_folders() if only in (None, folder.name)]
    rows = [ward.examine(exhibit) for exhibit in chosen]
    return rows + [mutants_row(folder, judge.device) for folder in folders]


class Ward:
    """Judges the corpus on one device; a control is judged once for all the cheats set against
    it."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._problems: dict[str, Problem] = {}
        self._controls: dict[str, Judgement] = {}

    def examine(self, exhibit: Exhibit) -> Row:
        if not exhibit.runs_on(self.judge.device):
            return self._row(exhibit, "", None, f"does not apply to {self.judge.device}")
        if exhibit.kind == "control":
            return self._control_row(exhibit)
        judgement = self.judgement(exhibit)
        if judgement.status is Status.SKIPPED and exhibit.may_be_skipped:
            return self._row(exhibit, judgement.status, None, judgement.reason)
        if not judgement.correct:
            return self._row(exhibit, judgement.status, True, judgement.reason)
        return self._timed_row(exhibit, judgement)

    def judgement(self, exhibit: Exhibit) -> Judgement:
        name = exhibit.problem
        if name not in self._problems:
            self._problems[name] = load_problem(str(CORPUS / "problems" / name))
        problem = self._problems[name]
        rung = read_rung(exhibit.path, problem.name)
        for _ in range(TRIES):
            judgement = self.judge.rung(problem, rung)
            if judgement.status is not Status.INVALID:
                break
        return judgement

    def control_of(self, exhibit: Exhibit, fresh: bool = False) -> Judgement:
        name = exhibit.control
        if fresh or name not in self._controls:
            control = Exhibit("control", CORPUS / "controls" / f"{name}.py")
            self._controls[name] = self.judgement(control)
        return self._controls[name]

    def _control_row(self, exhibit: Exhibit) -> Row:
        judgement = self._controls[exhibit.name] = self.judgement(exhibit)
        if judgement.status is Status.SKIPPED and exhibit.may_be_skipped:
            return self._row(exhibit, judgement.status, None, judgement.reason)
        return self._row(
            exhibit,
            judgement.status,
            judgement.correct,
            judgement.reason,
            time=shown(judgement),
        )

    def _timed_row(self, exhibit: Exhibit, judgement: Judgement) -> Row:
        """A correct cheat must not look faster than its control. One that does is judged again
        beside it: the machine may have changed its pace, and of two equals either may be ahead. So
        is one whose control was refused, which proves nothing about the cheat."""
        control = self.control_of(exhibit)
        for _ in range(REMATCHES):
            if not judgement.correct or (control.correct and not faster(judgement, control)):
                break
            control = self.control_of(exhibit, fresh=True)
            judgement = self.judgement(exhibit)
        if not judgement.correct:
            return self._row(exhibit, judgement.status, True, judgement.reason)
        if not control.correct:
            why = f"its control was judged {control.status}: {control.reason}"
            return self._row(exhibit, judgement.status, False, why)
        if not shown(control):
            reason = next((o.reason for o in control.outcomes if o.reason), "")
            return self._row(exhibit, judgement.status, None, f"not timed here: {reason}")
        slipped = faster(judgement, control)
        return self._row(
            exhibit,
            judgement.status,
            not slipped,
            "looks faster than its control" if slipped else "not faster than its control",
            time=shown(judgement),
            control=shown(control),
        )

    def _row(
        self,
        exhibit: Exhibit,
        judged: str,
        beaten: bool | None,
        why: str,
        time: str = "",
        control: str = "",
    ) -> Row:
        name, what, device = exhibit.name, exhibit.title, self.judge.device
        return Row(exhibit.kind, name, what, device, judged, time, control, beaten, why)


def problem_folders() -> list[Path]:
    """The shipped problems, then the corpus's own."""
    own = sorted(file.parent for file in CORPUS.glob("problems/*/problem.py"))
    return [problem_folder(name) for name in problem_names()] + own


def mutants_row(folder: Path, device: str) -> Row:
    """Every wrong implementation that a problem ships must be wrong on some workload."""
    problem = load_problem(str(folder))
    passed = [name for name in problem.mutants if passes(problem, name, device)]
    total = len(problem.mutants)
    return Row(
        kind="mutants",
        name=folder.name,
        what=f"{total} wrong implementations",
        device=device,
        judged=f"{total - len(passed)} of {total} rejected",
        time="",
        control="",
        beaten=bool(total) and not passed,
        why=f"not rejected: {', '.join(passed)}" if passed else "",
    )


def passes(problem: Problem, mutant: str, device: str) -> bool:
    """Right on every workload, as far as the checker can tell; the small ones are asked first."""
    generator = torch.Generator(device=device).manual_seed(0)
    for workload in sorted(problem.workloads, key=lambda w: w.timed):
        if not workload.runs_on(device):
            continue
        arguments = problem.inputs(workload, generator)
        outputs = as_list(problem.mutants[mutant](*arguments))
        if Checker(problem, workload).add(outputs, arguments):
            return False
    return True


def faster(cheat: Judgement, control: Judgement) -> bool:
    """On any workload and on either clock, below the control's interval."""
    honest = {outcome.workload: outcome for outcome in control.outcomes}
    for theirs in cheat.outcomes:
        ours = honest[theirs.workload]
        for mine, other in ((theirs.device, ours.device), (theirs.call, ours.call)):
            if mine and other and mine.median_us < other.low_us:
                return True
    return False


def shown(judgement: Judgement) -> str:
    times = [outcome.device for outcome in judgement.outcomes if outcome.device]
    return ", ".join(interval_us(t.median_us, t.low_us, t.high_us) for t in times)
