"""The judge: holds the device, starts the children, and hands out judgements and comparisons.

Cheap to import and to start: torch is imported by the zygote at once and here only when first
needed, so that both imports run side by side.
"""

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from warpbook.core.comparison import Comparison
from warpbook.core.judgement import Judgement
from warpbook.kernels.rung import Rung
from warpbook.measure.candidate import Candidate
from warpbook.measure.lock import device_lock
from warpbook.measure.zygote import ENVIRONMENT, Zygote

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem
    from warpbook.measure.bench import Bench
    from warpbook.measure.compare import Match

LIMIT_S = 60.0


class Judge:
    """Use as a context manager: it holds the device's lock and ends every child it started.

    `limit_s` is for one call of the candidate; `warm` leaves the caches as the inputs left them.
    """

    def __init__(
        self,
        device: str,
        warm: bool = False,
        limit_s: float = LIMIT_S,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.device = device
        self.warm = warm
        self.limit_s = limit_s
        self.progress = progress or (lambda _: None)
        self._bench: Bench | None = None

    def __enter__(self) -> "Judge":
        os.environ.update(ENVIRONMENT)
        self._lock = device_lock(self.device, progress=self.progress)
        self._lock.__enter__()
        self.progress("importing torch")
        self.zygote = Zygote(self.device)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.zygote.close()
        if self._bench:
            self._bench.close()
        self._lock.__exit__(kind, error, trace)

    @property
    def bench(self) -> "Bench":
        if self._bench is None:
            from warpbook.measure.bench import Bench

            self._bench = Bench(self.device, self.progress)
        return self._bench

    def candidate(self) -> Candidate:
        return Candidate(self.zygote)

    def rung(self, problem: "Problem", rung: Rung, only: Sequence[str] | None = None) -> Judgement:
        """Judge a rung on all the problem's workloads for this device, or on those named."""
        from warpbook.measure.trial import Trial

        return Trial(self, problem, rung).judgement(only)

    def compare(self, problem: "Problem", a: Rung, b: Rung, workload: str) -> Comparison:
        """Run two rungs in turns on one workload; says how B stands to A."""
        with self.match(problem, a, b, workload) as match:
            return match.play()

    def match(self, problem: "Problem", a: Rung, b: Rung, workload: str) -> "Match":
        """Two rungs to be compared several times in the same children."""
        from warpbook.measure.compare import Match

        return Match(self, problem, a, b, workload)
