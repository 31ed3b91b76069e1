"""Several rungs in turns on the timed workloads of a problem, within a time.

Every rung has its own child, started once for the problem. On each workload the children take
turns, one call of each in an order shuffled anew, so that whatever drifts drifts for all of them.
Kernels that only move the same bytes take their turns too: the fastest of them is the limit, unless
the operations take longer at the device's rate. A rung that is not correct drops out with its
reason, and the others go on.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from warpbook.core.cost import OtherUnit
from warpbook.core.judgement import Judgement, Outcome, Status, Timing
from warpbook.core.roofs import compute_us, memory_us
from warpbook.core.statistics import half_width, summarise
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung
from warpbook.measure.arm import Arm, play_batch
from warpbook.measure.budget import Budget
from warpbook.measure.limit import movers
from warpbook.measure.trial import NEEDS_GPU, without_time
from warpbook.measure.watch import Machine, Watch

if TYPE_CHECKING:
    from warpbook.measure.judge import Judge

WARM_UPS = 2
# Of a rung's rounds on a workload so many are checked for certain, those before timing among them,
# and of the rest every eighth: on a large workload the float64 answer takes longer than the round.
SURELY_CHECKED = WARM_UPS + 3
CHECKED_ONE_IN = 8
# Rounds of each contender between two readings of the device's clock, which is on meanwhile: with
# twenty contenders for a second.
BATCH = {"cpu": 4, "cuda": 8}
# The lowest rungs of a product take seconds, where the others are done in milliseconds.
LONGEST_US, FEWEST = 0.5e6, 2
MOST_ROUNDS = {"cpu": 24, "cuda": 60}
NARROW = {"cpu": 0.02, "cuda": 0.005}
# The share of a workload's time for rounds; the rest is for holding them to the judge's clock.
FOR_ROUNDS = 0.75
# A child that waits for all the others between its rounds finds little of itself in its core's
# caches: of 110 honest rungs on a crowded CPU 7 needed more than the harness is allowed elsewhere.
HARNESS = 3.0
WAYS = 3
# A mover that is this much slower than the fastest one after a batch plays no further.
BEHIND = 1.05


@dataclass(frozen=True)
class Limit:
    """The fastest mover on a workload or the roof above it, or why there is neither."""

    by: str = ""
    timing: Timing | None = None
    reason: str = ""


class Contest:
    """The rungs of one problem. Use as a context manager: it ends the children it started."""

    def __init__(
        self, judge: "Judge", problem: Problem, rungs: Sequence[Rung], budget: Budget
    ) -> None:
        self.judge = judge
        self.problem = problem
        self.budget = budget
        self.workloads = timed_workloads(problem, judge.device)
        self.rungs = [Arm(judge, problem, rung) for rung in rungs]
        self.movers = [Arm(judge, *mover) for mover in movers(problem, judge.device)]
        self.outcomes: dict[Arm, list[Outcome]] = {arm: [] for arm in self.rungs}
        self.limits: dict[str, Limit] = {}

    def __enter__(self) -> "Contest":
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for arm in self._all():
            arm.end()

    def judgements(self) -> list[Judgement]:
        """Play all the workloads; one judgement a rung, in their order."""
        for workload in self.workloads:
            self._play(workload)
        return [arm.trial.judged(believed(self.outcomes[arm])) for arm in self.rungs]

    def _all(self) -> list[Arm]:
        return [*self.rungs, *self.movers]

    def _start(self) -> None:
        """All children at once, so that they make themselves ready side by side. The way to each is
        then measured in turns, as rounds will be, and before any candidate is there."""
        self.judge.progress(f"{self.problem.name}: starting {len(self._all())} contenders")
        self._make_room()
        for arm in self._all():
            if arm.trial.interpreted:
                reason = "runs in Triton's interpreter here, which has no time"
                arm.stopped = Outcome("", Status.SKIPPED, reason)
            elif arm.rung.needs_gpu and self.judge.device == "cpu":
                arm.stopped = Outcome("", Status.SKIPPED, NEEDS_GPU)
            else:
                arm.spawn()
        playing = [arm for arm in self._all() if arm.playing]
        for arm in playing:
            arm.trial.harness = HARNESS
            arm.greet()
        for number in range(1 + WAYS):
            for arm in playing:
                arm.find_way(cold=number > 0 and not self.judge.warm)
        for arm in playing:
            arm.load()

    def _make_room(self) -> None:
        """Lay out the largest workload first: memory that grew later would be attached again."""
        layouts = {w.name: self.judge.bench.layout(self.problem, w) for w in self.workloads}
        fitting = [
            w
            for w in self.workloads
            if layouts[w.name].bytes_needed <= self.judge.bench.free_bytes()
        ]
        if fitting:
            largest = max(fitting, key=lambda w: layouts[w.name].bytes_needed)
            self.judge.bench.stage(self.problem, largest)

    def _play(self, workload: Workload) -> None:
        began, share_s = time.monotonic(), self.budget.share_s()
        reason = self._why_not(workload, share_s)
        if reason:
            for arm in self.rungs:
                self.outcomes[arm].append(Outcome(workload.name, Status.SKIPPED, reason))
            self.limits[workload.name] = Limit(reason=reason)
            return
        for arm in self._all():
            if goes_on(arm):
                self.judge.progress(f"{self.problem.name} {workload.name}: {arm.rung.name}")
                arm.stopped = None
                arm.enter(workload, WARM_UPS)
        machine = self._take_turns(began, share_s)
        moved = self._limit(workload, machine)
        units = {None, *(arm.rung.other_unit for arm in self.rungs)}
        limits = {unit: self._raised(moved, workload, unit) for unit in units}
        self.limits[workload.name] = limits[None]
        for arm in self.rungs:
            outcome = self._outcome(arm, workload, machine)
            self.outcomes[arm].append(with_limit(outcome, limits[arm.rung.other_unit]))

    def _why_not(self, workload: Workload, share_s: float) -> str | None:
        if share_s <= 0:
            return f"did not fit into the budget of {self.budget.seconds:.0f} s"
        needed = self.judge.bench.layout(self.problem, workload).bytes_needed
        if needed > self.judge.bench.free_bytes():
            return f"needs {needed / 1e9:.1f} GB of memory to judge, more than is free"
        return None

    def _take_turns(self, began: float, share_s: float) -> Machine:
        """Batches until every median is known well enough or the share of time is used."""
        watch = Watch(self.judge.device)
        watch.start()
        playing = [arm for arm in self._all() if arm.playing]
        first = True
        while playing and (first or not self._enough(playing)):
            batch_began = time.monotonic()
            play_batch(self._order(playing), SURELY_CHECKED, CHECKED_ONE_IN)
            watch.sample()
            for arm in playing:
                arm.rounds.samples += arm.fresh
                arm.rounds.discarded += arm.compiled
            now = time.monotonic()
            if first:
                self.budget.needed(batch_began - began, now - batch_began, not self.limits)
                first = False
            playing = self._still_playing(playing)
            if now + (now - batch_began) > began + FOR_ROUNDS * share_s:
                break
        self._audit(began + share_s)
        return watch.stop()

    def _order(self, playing: list[Arm]) -> list[Arm]:
        """So many rounds, each in an order that nobody can foresee; fewer of one that is slow."""
        turns: list[Arm] = []
        for number in range(BATCH[self.judge.device]):
            mine = [a for a in playing if number < FEWEST or number * a.call_us < LONGEST_US]
            turns += secrets.SystemRandom().sample(mine, len(mine))
        return turns

    def _enough(self, playing: list[Arm]) -> bool:
        known = [summarise(arm.times_us) for arm in playing if arm.rounds.samples]
        most = max((arm.rounds.played for arm in playing), default=0)
        wide = any(half_width(timing) > NARROW[self.judge.device] for timing in known)
        return not wide or most >= MOST_ROUNDS[self.judge.device]

    def _still_playing(self, playing: list[Arm]) -> list[Arm]:
        moving = [arm for arm in self.movers if arm.playing and arm.rounds.samples]
        fastest_us = min((summarise(arm.times_us).median_us for arm in moving), default=0.0)
        behind = [arm for arm in moving if summarise(arm.times_us).median_us > BEHIND * fastest_us]
        behind += [arm for arm in playing if BATCH[self.judge.device] * arm.call_us > LONGEST_US]
        return [arm for arm in playing if arm.playing and arm not in behind]

    def _audit(self, until: float) -> None:
        """Rungs' device times against the judge's clock, in any order, while time is left. The
        movers are our own, and are believed."""
        for arm in secrets.SystemRandom().sample(self.rungs, len(self.rungs)):
            if not arm.playing or not arm.rounds.samples:
                continue
            if time.monotonic() < until:
                arm.confirm()
            elif self.judge.device == "cuda":
                arm.rounds.note = "its device times were not held to the judge's clock: no time"

    def _outcome(self, arm: Arm, workload: Workload, machine: Machine) -> Outcome:
        if arm.stopped:
            return replace(arm.stopped, workload=workload.name)
        return arm.trial.concluded(workload, arm.checker, arm.rounds, machine)

    def _limit(self, workload: Workload, machine: Machine) -> Limit:
        outcomes = {arm.rung.name: self._outcome(arm, workload, machine) for arm in self.movers}
        timed = {name: o.device for name, o in outcomes.items() if o.device}
        if not timed:
            reasons = [o.reason for o in outcomes.values()]
            return Limit(reason=reasons[0] if reasons else "nothing moves the same bytes")
        by = min(timed, key=lambda name: timed[name].median_us)
        return Limit(by, timed[by])

    def _raised(self, moved: Limit, workload: Workload, other: OtherUnit | None) -> Limit:
        """Where the operations take longer than moving the bytes, at the rate of their unit. Where
        nothing moved them, that must be more than the bandwidths would take."""
        cost, roofs = self.problem.cost(workload), self.judge.bench.roofs
        times = compute_us(cost, roofs, other)
        unit = max(times, key=lambda name: times[name], default="")
        moved_us = moved.timing.median_us if moved.timing else memory_us(cost, roofs)
        if not unit or times[unit] <= moved_us:
            return moved
        often = f", {other.times:g} times" if other and other.name == unit else ""
        return Limit(f"{unit} rate{often}", Timing.reckoned(times[unit]))


def timed_workloads(problem: Problem, device: str) -> list[Workload]:
    return [w for w in problem.workloads if device in w.timed_on]


def goes_on(arm: Arm) -> bool:
    """A rung that raised an error on one workload may be right on the next; one that was wrong or
    suspect, whose child has died or that cannot run here is out for good."""
    if arm.stopped is None:
        return True
    return arm.stopped.status is Status.CRASHED and bool(arm.stopped.workload) and arm.alive


def believed(outcomes: list[Outcome]) -> list[Outcome]:
    """A rung that was wrong or suspect anywhere has no time at all."""
    if any(o.status in (Status.WRONG, Status.SUSPECT) for o in outcomes):
        return [without_time(o) for o in outcomes]
    return outcomes


def with_limit(outcome: Outcome, limit: Limit) -> Outcome:
    if outcome.device is None:
        return outcome
    return replace(outcome, limit=limit.timing, limit_by=limit.by)
