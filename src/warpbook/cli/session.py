"""One invocation that measures: the judge it starts, the problem it loads, the receipts it keeps.

Whatever can be found wrong without torch is found before anything is started. The judge starts
before torch is imported here, so that both import it at the same time.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.cli.guard import say
from warpbook.cli.screen import Progress
from warpbook.core.comparison import Comparison
from warpbook.core.errors import BadInput
from warpbook.core.judgement import Judgement
from warpbook.core.machine import choose_device
from warpbook.core.receipt import Receipt, Request
from warpbook.core.standing import Standing
from warpbook.kernels.library import Outline, is_own, read_outline
from warpbook.kernels.rung import Rung
from warpbook.measure import receipts, standing
from warpbook.measure.judge import Judge

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem


@dataclass(frozen=True)
class Asked:
    """What the user typed, as far as the verbs share it."""

    problem: str
    device: str | None
    warm: bool
    limit_s: float
    keep: Path | None


@dataclass
class Session:
    asked: Asked
    device: str
    judge: Judge
    progress: Progress
    problem: "Problem"
    outline: Outline
    rungs: list[Rung]
    kept: list[Receipt] = field(default_factory=list)

    def judgement(self, rung: Rung, only: tuple[str, ...] | None) -> Judgement:
        request = self._request([rung], only)
        with self.progress:
            judgement = self.judge.rung(self.problem, rung, only=only)
        self._keep(request, judgement=judgement)
        if not self.asked.warm:
            warn(standing.record(self.outline, judgement, is_own(self.outline, rung)))
        return judgement

    def standings(self, rung: Rung, judgement: Judgement) -> list[Standing]:
        """Where a file of the user's own stands among the rungs, on each timed workload."""
        if self.asked.warm or not self.outline.ladder or not is_own(self.outline, rung):
            return []
        found, warnings = standing.standings(self.outline, judgement)
        warn(*warnings)
        return found

    def comparison(self, a: Rung, b: Rung, workload: str) -> Comparison:
        request = self._request([a, b], (workload,))
        with self.progress:
            comparison = self.judge.compare(self.problem, a, b, workload)
        self._keep(request, comparison=comparison)
        return comparison

    def known_workloads(self, asked: Sequence[str] | None) -> tuple[str, ...] | None:
        """The workloads asked for, all known and able to run here."""
        if not asked:
            return None
        here = [w.name for w in self.problem.workloads if w.runs_on(self.device)]
        for name in asked:
            workload = self.problem.workload(name)
            if workload is None:
                known = ", ".join(here)
                raise BadInput(f"{self.problem.name} has no workload {name!r}; it has: {known}")
            if name not in here:
                on = " and ".join(workload.timed_on)
                raise BadInput(f"the workload {name} is for {on} only, and this is {self.device}")
        return tuple(asked)

    def one_workload(self, asked: str | None) -> str:
        """The workload asked for, or the first that is timed on this device."""
        if asked is not None:
            self.known_workloads([asked])
            return asked
        for workload in self.problem.workloads:
            if self.device in workload.timed_on:
                return workload.name
        raise BadInput(f"{self.problem.name} has no workload that is timed on {self.device}")

    def _request(self, rungs: list[Rung], only: tuple[str, ...] | None) -> Request:
        asked = self.asked
        return receipts.request(self.outline, rungs, only, self.device, asked.warm, asked.limit_s)

    def _keep(
        self,
        request: Request,
        judgement: Judgement | None = None,
        comparison: Comparison | None = None,
    ) -> None:
        if self.asked.keep is None:
            return
        created = datetime.now(UTC).isoformat(timespec="seconds")
        roofs = self.judge.bench.roofs
        self.kept.append(Receipt(created, request, judgement, comparison, roofs))
        receipts.keep(self.kept, self.asked.keep)


@contextmanager
def open_session(asked: Asked, choose: Callable[[Outline], list[Rung]]) -> Iterator[Session]:
    outline = read_outline(asked.problem)
    rungs = choose(outline) if outline else None
    device = choose_device(asked.device)
    if asked.keep:
        receipts.check_new(asked.keep)
    progress = Progress()
    with Judge(device, warm=asked.warm, limit_s=asked.limit_s, progress=progress) as judge:
        from warpbook.kernels.shelf import load_problem, outline_of

        problem = load_problem(asked.problem)
        outline = outline_of(problem)
        rungs = rungs or choose(outline)
        yield Session(asked, device, judge, progress, problem, outline, rungs)


def warn(*lines: str | None) -> None:
    for line in filter(None, lines):
        say(line)
