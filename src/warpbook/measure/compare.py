"""Two rungs in turns on one workload: which is faster, if that can be told.

Two children, alternated by the judge in blocks A B B A, so that drift and order cancel. Rounds of
both arms are drawn, flushed, timed and checked as for a judgement.
"""

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warpbook.core.comparison import Comparison
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.core.judgement import Outcome, Status
from warpbook.core.roofs import floor
from warpbook.core.statistics import BLOCKS, answer, noise_floor, ratio_interval, settled
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung
from warpbook.measure.arm import Arm, play_batch
from warpbook.measure.candidate import Candidate
from warpbook.measure.timing import LEAST_KEPT, WARM_UPS, unaccounted
from warpbook.measure.trial import DRIFTS, chosen, empty_child
from warpbook.measure.watch import Watch

if TYPE_CHECKING:
    from warpbook.measure.judge import Judge

SIDES = ("a", "b")
ORDER = (0, 1, 1, 0)
TRIES = 3
SURELY_CHECKED = LEAST_KEPT + WARM_UPS
CHECKED_ONE_IN = 2
TELL_S = 1.0

# Two children in turns find less of themselves in a core's caches than one alone, on a CPU.
IN_TURNS = {"cpu": 2.0, "cuda": 1.0}


class Match:
    """Two rungs in their children, ready to be compared, once or again and again."""

    def __init__(self, judge: "Judge", problem: Problem, a: Rung, b: Rung, name: str) -> None:
        self.judge = judge
        (self.workload,) = chosen(problem, judge.device, [name])
        self.arms = [Arm(judge, problem, rung) for rung in (a, b)]
        for arm in self.arms:
            if arm.trial.interpreted:
                raise BadInput(f"{arm.rung.name} has no time here: it runs in Triton's interpreter")
            if reason := arm.rung.why_not(self.workload.dtype):
                raise BadInput(f"{arm.rung.name} does not run {name}: {reason}")
            arm.trial.refuse_mistakes([self.workload])

    def __enter__(self) -> "Match":
        try:
            self.judge.progress("starting a process for each arm")
            for arm in self.arms:
                arm.spawn()
            for arm in self.arms:
                self.judge.progress(f"{arm.rung.name}: loading it")
                arm.load()
                insist(self.arms)
            treat_alike(self.arms)
            for arm in self.arms:
                self.judge.progress(f"{arm.rung.name}: is it correct on {self.workload.name}?")
                arm.enter(self.workload)
                insist(self.arms)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for arm in self.arms:
            arm.end()

    def play(self) -> Comparison:
        seen = self._turns()
        if self.judge.device in DRIFTS and any(suspicion(arm) for arm in self.arms):
            with empty_child(self.judge) as beside:
                seen = self._turns(beside)
        for side, arm in zip(SIDES, self.arms, strict=True):
            conclude(side, arm)
        return self._comparison(seen)

    def _turns(self, beside: Candidate | None = None) -> dict[str, Any]:
        """Turns until the ratio is settled; what the machine was like meanwhile."""
        watch = Watch(self.judge.device)
        watch.start()
        for arm in self.arms:
            arm.forget()
            arm.player = replace(arm.player, beside=beside)
        take_turns(self.judge, self.arms, watch)
        for arm in self.arms:
            self.judge.progress(f"{arm.rung.name}: its times by the judge's own clock")
            arm.confirm()
            insist(self.arms)
        invalid, seen = watch.stop()
        if invalid:
            raise unfit(f"nothing can be said here: {invalid}", invalid)
        return seen

    def _comparison(self, seen: dict[str, Any]) -> Comparison:
        a, b = self.arms
        a_us, b_us = times(self.arms)
        device = self.judge.device
        ratio, low, high = ratio_interval(a_us, b_us)
        noise = noise_floor(a_us, b_us, device)
        noted = tuple(f"{arm.rung.name}: {arm.rounds.note}" for arm in self.arms if arm.rounds.note)
        cost = a.trial.problem.cost(self.workload)
        roofs = self.judge.bench.roofs
        floors = [floor(cost, roofs, arm.rung.other_unit) for arm in self.arms]
        return Comparison(
            problem=a.trial.problem.name,
            workload=self.workload.name,
            device=device,
            a=a.rung.name,
            b=b.rung.name,
            answer=answer(ratio, low, high, noise),
            ratio=ratio,
            low=low,
            high=high,
            noise=noise,
            clock="device" if device == "cuda" else "call",
            a_us=tuple(a_us),
            b_us=tuple(b_us),
            a_sha256=a.rung.sha256,
            b_sha256=b.rung.sha256,
            notes=unlike(self.arms) + noted,
            machine=seen,
            environment=self.judge.bench.environment,
            floor=min(floors, key=lambda least: least.us),
            cost=cost,
        )


def insist(arms: list[Arm]) -> None:
    """A comparison needs both arms."""
    for side, arm in zip(SIDES, arms, strict=True):
        if arm.stopped:
            raise disqualified(side, arm, arm.stopped)


def disqualified(side: str, arm: Arm, stopped: Outcome) -> NotCorrect:
    """`arm` in the document is a or b, since both rungs may have one name."""
    where = f" on {stopped.workload}" if stopped.workload else ""
    document = {
        "disqualified": arm.rung.name,
        "arm": side,
        "status": stopped.status.value,
        "workload": stopped.workload,
        "reason": stopped.reason,
    }
    return NotCorrect(f"{arm.rung.name} is {stopped.status}{where}: {stopped.reason}", document)


def unfit(message: str, reason: str) -> NotCorrect:
    return NotCorrect(message, {"invalid": reason})


def suspicion(arm: Arm) -> str | None:
    trial, rounds, device = arm.trial, arm.rounds, arm.judge.device
    way = rounds.way or trial.way
    return unaccounted(
        rounds.samples, way, rounds.empty_us, trial.returns, device, IN_TURNS[device]
    )


def conclude(side: str, arm: Arm) -> None:
    if wrong := arm.checker.verdict():
        raise disqualified(side, arm, Outcome(arm.workload.name, Status.WRONG, wrong))
    if lie := suspicion(arm):
        raise disqualified(side, arm, Outcome(arm.workload.name, Status.SUSPECT, lie))


def take_turns(judge: "Judge", arms: list[Arm], watch: Watch) -> None:
    """Blocks until the ratio is settled. The device's clock is read once for several blocks, and
    they count only whole: none of them when a call compiled."""
    least, _ = BLOCKS[judge.device]
    size = least if judge.device == "cuda" else 1
    tries = 0
    told_s = -math.inf
    while not arms[0].rounds.samples or not settled(*times(arms), judge.device):
        if time.monotonic() - told_s >= TELL_S:
            told_s = time.monotonic()
            judge.progress(f"both in turns: round {arms[0].rounds.played + 1}")
        play_batch([arms[i] for i in ORDER * size], SURELY_CHECKED, CHECKED_ONE_IN)
        watch.sample()
        insist(arms)
        if any(arm.compiled for arm in arms):
            tries += 1
            if tries > TRIES * least:
                reason = "one of the two compiles inside its calls, again and again"
                raise unfit(reason, reason)
            continue
        for arm in arms:
            arm.rounds.samples += arm.fresh


def times(arms: list[Arm]) -> tuple[list[float], list[float]]:
    a, b = arms
    return a.times_us, b.times_us


def treat_alike(arms: list[Arm]) -> None:
    """Like is compared with like: where one rung must allocate its output, so does the other if
    it can."""
    if arms[0].trial.returns == arms[1].trial.returns:
        return
    for arm in arms:
        if arm.trial.either:
            with arm.started():
                arm.candidate.ask("allocate", arm.judge.limit_s)
            insist(arms)
            arm.trial.returns = "new"


def unlike(arms: list[Arm]) -> tuple[str, ...]:
    if arms[0].trial.returns == arms[1].trial.returns:
        return ()
    return tuple(
        f"{arm.rung.name} allocates its output inside the call; the other is given a buffer"
        for arm in arms
        if arm.trial.returns == "new"
    )
