"""A rung in its own child that plays rounds in turns with others.

Rounds are drawn, flushed, timed and checked as for a judgement. What goes wrong in a child ends its
own part and nobody else's. What the turns are for, a comparison or a contest, is not known here.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from warpbook.core.judgement import Outcome, Status
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung
from warpbook.measure.candidate import Candidate, CandidateError, Forged
from warpbook.measure.check import Checker
from warpbook.measure.stage import Round, Tampered
from warpbook.measure.timing import (
    LEAST_KEPT,
    WARM_UPS,
    Rounds,
    Sample,
    Way,
    confirmed,
    middle_way,
    one_way,
    sample,
)
from warpbook.measure.trial import READY_S, STATUS, Trial

if TYPE_CHECKING:
    from warpbook.measure.judge import Judge


class Arm:
    """`stopped` says what ended its part, and is None while it plays."""

    candidate: Candidate
    workload: Workload
    checker: Checker

    def __init__(self, judge: "Judge", problem: Problem, rung: Rung) -> None:
        self.judge = judge
        self.rung = rung
        self.trial = Trial(judge, problem, rung)
        self.stopped: Outcome | None = None
        self.rounds = Rounds()
        self.fresh: list[Sample] = []
        self.compiled = 0
        self.call_us = 0.0  # about what a call takes
        self._on_gpu = judge.device == "cuda"
        self._batch: list[Round] = []
        self._ways: list[Way] = []
        self._clock_runs = False

    @property
    def playing(self) -> bool:
        return self.stopped is None

    @property
    def times_us(self) -> list[float]:
        return [s.device_us for s in self.rounds.samples]

    def spawn(self) -> None:
        """Start the child; it makes itself ready while others are started."""
        self.candidate = self.judge.candidate()

    def greet(self) -> None:
        """Wait until the child is ready."""
        with self.started():
            self.candidate.ask("hello", READY_S)

    def find_way(self, cold: bool) -> None:
        """Once the way to the child and back, which `load` then does not measure by itself. The
        first time is slower, and is left out of the middle."""
        if not self.playing:
            return
        flusher, limit_s = self.judge.bench.flusher, self.judge.limit_s
        with self.started():
            self._ways.append(one_way(self.candidate, flusher, self.judge.device, cold, limit_s))
            self.trial.way = middle_way(self._ways[1:] or self._ways)

    @contextmanager
    def started(self) -> Iterator[None]:
        """What goes wrong inside ends its part before it has begun."""
        try:
            yield
        except CandidateError as error:
            self.stopped = Outcome("", STATUS[type(error)], f"while it was started: {error}")

    def load(self) -> None:
        self.stopped = self.stopped or self.trial.load(self.candidate)

    @property
    def alive(self) -> bool:
        return hasattr(self, "candidate") and self.candidate.alive

    def end(self) -> None:
        if self.alive:
            self.candidate.end()

    def enter(self, workload: Workload, warm_ups: int = WARM_UPS) -> None:
        """Begin on a workload, with calls that are checked but not timed."""
        self.workload = workload
        self.checker = Checker(self.trial.problem, workload)
        self.forget()
        with self.tried():
            self.player = self.trial.player(self.candidate, workload, self.checker)
            self.call_us = self.player.warm_up(warm_ups)

    def forget(self) -> None:
        """Start on new samples; the checker goes on over all of them."""
        self.rounds = Rounds()

    def confirm(self) -> None:
        """Hold the device times to the judge's own clock."""
        with self.tried():
            self.rounds.samples, self.rounds.note = confirmed(self.player, self.rounds.samples)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """What goes wrong inside is this arm's own doing."""
        try:
            yield
        except tuple(STATUS) as error:
            self.stopped = self.trial.stopped(self.workload, error)
            if isinstance(error, Forged):  # its channel cannot be trusted any more
                self.candidate.end()
            return
        checker = self.checker
        wrong = checker.verdict() if checker.rounds >= LEAST_KEPT else checker.fault
        if wrong:
            self.stopped = Outcome(self.workload.name, Status.WRONG, wrong)

    def start_batch(self) -> None:
        self._batch, self.fresh, self.compiled = [], [], 0
        if self._on_gpu and self.playing:
            with self.tried():
                self.player.profile(on=True)
                self._clock_runs = True

    def turn(self, surely: int, one_in: int) -> None:
        """One call. The coin decides afterwards whether it is checked, once `surely` are."""
        if not self.playing:
            return
        with self.tried():
            played = self.player.play()
            if self.checker.rounds < surely or not secrets.randbelow(one_in):
                self.player.check(played)
            self._batch.append(played)
            self.player.call_nothing(self.rounds)

    def end_batch(self) -> None:
        """`fresh` are then the samples of the batch, less the calls that `compiled`."""
        spans: dict[int, float] = {}
        self.rounds.played += len(self._batch)
        if self._clock_runs:
            self._clock_runs = False
            if not self.playing:
                with suppress(CandidateError, Tampered):
                    if self.alive:
                        self.player.profile(on=False)
                return
            with self.tried():
                spans = self.player.profile(on=False)
        if self.playing:
            with self.tried():
                kept = [played for played in self._batch if not played.compiled]
                self.compiled = len(self._batch) - len(kept)
                self.fresh = [sample(played, spans, self._on_gpu) for played in kept]


def play_batch(turns: Sequence[Arm], surely: int, one_in: int) -> None:
    """Calls in this order, between two readings of the device's clock."""
    arms = list(dict.fromkeys(turns))
    for arm in arms:
        arm.start_batch()
    for arm in turns:
        arm.turn(surely, one_in)
    for arm in arms:
        arm.end_batch()
