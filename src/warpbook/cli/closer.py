"""`judge --why` and `judge --sanitize`: a closer look at a rung, once it has been judged."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from warpbook.cli.guard import say
from warpbook.cli.screen import console
from warpbook.cli.session import Session
from warpbook.cli.why import show_sanitized, show_why
from warpbook.core.errors import Missing
from warpbook.core.judgement import Judgement, Status
from warpbook.core.machine import why_no_cuda
from warpbook.kernels.rung import Rung
from warpbook.measure.rerun import NotReplayed
from warpbook.measure.sanitize import Sanitized, require_tool, sanitize
from warpbook.measure.why import Why, explain


@dataclass
class CloserLook:
    """What was asked for, and what was found so far."""

    why: bool
    sanitize: bool
    explained: list[Why] = field(default_factory=list)
    sanitized: list[Sanitized] = field(default_factory=list)
    failed: bool = False

    def require(self, device: str | None) -> None:
        """Before anything is judged: what it takes is there."""
        if not self.why and not self.sanitize:
            return
        option = "--why" if self.why else "--sanitize"
        reason = "this is --device cpu" if device == "cpu" else why_no_cuda()
        if reason:
            raise Missing(f"{option} needs an NVIDIA GPU: {reason}")
        if self.sanitize:
            require_tool()

    def at(
        self,
        session: Session,
        rung: Rung,
        judgement: Judgement,
        only: Sequence[str] | None,
        json: bool,
    ) -> None:
        if self.why:
            self._explain(session, rung, judgement, only, json)
        if self.sanitize and judgement.status is not Status.SKIPPED:
            with session.progress:
                session.progress(f"{session.problem.name} {rung.name} under compute-sanitizer")
                found = sanitize(session.problem, rung, only)
            self.sanitized.append(found)
            self.failed |= not found.clean
            if not json:
                show_sanitized(console(), found)

    def _explain(
        self,
        session: Session,
        rung: Rung,
        judgement: Judgement,
        only: Sequence[str] | None,
        json: bool,
    ) -> None:
        if not judgement.correct:
            say(f"{rung.name} is {judgement.status}: only a correct rung is explained")
            return
        names = only or (session.one_workload(None),)
        for outcome in judgement.outcomes:
            if outcome.workload not in names:
                continue
            if outcome.status is not Status.CORRECT:
                say(f"{rung.name} is not explained on {outcome.workload}: {outcome.reason}")
                continue
            try:
                with session.progress:
                    session.progress(f"{session.problem.name} {rung.name} once more, looked at")
                    found = explain(session.problem, rung, outcome)
            except NotReplayed as error:
                say(str(error))
                self.failed = True
                continue
            self.explained.append(found)
            if not json:
                show_why(console(), found)

    def document(self) -> dict[str, Any]:
        """What `--json` adds, for what was asked."""
        asked: dict[str, Any] = {}
        if self.why:
            asked["why"] = self.explained
        if self.sanitize:
            asked["sanitize"] = self.sanitized
        return asked
