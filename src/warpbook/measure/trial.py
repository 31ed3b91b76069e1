"""One rung before the judge: every workload in turn, in one child, to one judgement."""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput, Missing
from warpbook.core.judgement import Judgement, Outcome, Status
from warpbook.core.roofs import floor, impossible_below_us
from warpbook.core.statistics import summarise
from warpbook.core.workload import Workload
from warpbook.kernels.cu_call import refuse_mistakes
from warpbook.kernels.cuda import architecture
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung, read_cu_file
from warpbook.measure.candidate import (
    Candidate,
    CandidateError,
    Died,
    Failed,
    Forged,
    Refused,
    Skipped,
    TimedOut,
)
from warpbook.measure.check import Checker
from warpbook.measure.stage import Tampered, Wrong
from warpbook.measure.timing import (
    Player,
    Rounds,
    Way,
    confirmed,
    one_way,
    time_rounds,
    unaccounted,
    way_there_and_back,
)
from warpbook.measure.watch import Machine, Watch

if TYPE_CHECKING:
    from warpbook.measure.judge import Judge

CATCH_ROUNDS = 2
NEEDS_GPU = "CUDA C++ runs on an NVIDIA GPU, and this is a CPU"
READY_S = 120.0
# Where a suspicion is looked into once more: a CPU's clock and its neighbours change what the
# harness costs by 150 us from one moment to the next, which made one honest rung in thirty suspect.
DRIFTS = ("cpu",)
ARCHITECTURE_WITHOUT_GPU = "sm_90a"

STATUS = {
    Died: Status.CRASHED,
    Failed: Status.CRASHED,
    TimedOut: Status.TIMED_OUT,
    Forged: Status.SUSPECT,
    Tampered: Status.SUSPECT,
    Refused: Status.WRONG,
    Wrong: Status.WRONG,
    Skipped: Status.SKIPPED,
}

# The first of these that an outcome has is the judgement's.
WORST_FIRST = (
    Status.SUSPECT,
    Status.CRASHED,
    Status.TIMED_OUT,
    Status.WRONG,
    Status.INVALID,
    Status.CORRECT,
    Status.SKIPPED,
)


@contextmanager
def empty_child(judge: "Judge") -> Iterator[Candidate]:
    """One that holds no candidate, to see beside its rounds what the harness costs just now."""
    child = judge.candidate()
    try:
        child.ask("hello", READY_S)
        one_way(child, judge.bench.flusher, judge.device, False, judge.limit_s)
        yield child
    finally:
        child.end()


class Trial:
    def __init__(self, judge: "Judge", problem: Problem, rung: Rung) -> None:
        self.judge = judge
        self.bench = judge.bench
        self.problem = problem
        self.rung = rung
        self.interpreted = judge.device == "cpu" and rung.interpreted_on_cpu
        self.returns = "out"
        self.either = False
        self.filtered = True
        self.machine: dict[str, Any] = {}
        self.way = Way(0.0, 0.0, 0.0)
        self.harness = 1.0  # how much more of a core than usual the harness is allowed

    def judgement(self, only: Sequence[str] | None = None) -> Judgement:
        workloads = chosen(self.problem, self.judge.device, only)
        self.refuse_mistakes(workloads)
        candidate = self.judge.candidate()
        try:
            refusal = self.load(candidate)
            outcomes = [refusal] if refusal else self._outcomes(candidate, workloads)
        finally:
            candidate.end()
        return self.judged(outcomes)

    def judged(self, outcomes: Sequence[Outcome]) -> Judgement:
        status = next(s for s in WORST_FIRST if any(o.status is s for o in outcomes))
        return Judgement(
            problem=self.problem.name,
            rung=self.rung.name,
            device=self.judge.device,
            status=status,
            reason=next((o.reason for o in outcomes if o.status is status), ""),
            outcomes=tuple(outcomes),
            source_sha256=self.rung.sha256,
            returns=self.returns,
            machine=self.machine,
            environment=self.bench.environment,
        )

    def refuse_mistakes(self, workloads: Sequence[Workload]) -> None:
        """A `.cu` file is compiled before anything is started or measured, without a GPU too."""
        if self.rung.path.suffix != ".cu":
            return
        file = read_cu_file(self.rung.path, self.problem.name, self.problem.sizes)
        on_gpu = self.judge.device == "cuda"
        with nullcontext() if on_gpu else suppress(Missing):
            arch = architecture() if on_gpu else ARCHITECTURE_WITHOUT_GPU
            refuse_mistakes(file, self.problem, workloads, arch)

    def load(self, candidate: Candidate) -> Outcome | None:
        """Import the candidate in its child; an outcome when it cannot be judged at all."""
        limit_s = self.judge.limit_s
        if self.rung.needs_gpu and self.judge.device == "cpu":
            return Outcome("", Status.SKIPPED, NEEDS_GPU)
        try:
            self.filtered = bool(candidate.ask("hello", READY_S).fields.get("filtered"))
            if not self.interpreted and not any(self.way):
                self.way = way_there_and_back(
                    candidate, self.bench.flusher, self.judge.device, not self.judge.warm, limit_s
                )
            loaded = candidate.ask(
                "load",
                limit_s,
                path=str(self.rung.path),
                function=self.problem.name,
                interpret=self.interpreted,
                returns="in place" if self.problem.mutates else None,
                sizes=self.problem.sizes,
                mutates=self.problem.mutates,
            )
        except CandidateError as error:
            return Outcome("", STATUS[type(error)], f"while it was loaded: {error}")
        self.returns = str(loaded.fields.get("returns"))
        self.either = bool(loaded.fields.get("either"))
        unavailable = loaded.fields.get("unavailable")
        return Outcome("", Status.SKIPPED, str(unavailable)) if unavailable else None

    def _outcomes(self, candidate: Candidate, workloads: list[Workload]) -> list[Outcome]:
        """Mistakes first: a rung that makes one is not timed. A dead child ends the trial."""
        outcomes: list[Outcome] = []
        for workload in sorted(workloads, key=lambda w: w.timed):
            bad = [o for o in outcomes if o.status not in (Status.CORRECT, Status.SKIPPED)]
            if bad and (workload.timed or bad[-1].status is not Status.WRONG):
                break
            self.judge.progress(f"{self.problem.name} {self.rung.name} {workload.name}")
            outcomes.append(self._outcome(candidate, workload))
        if any(o.status not in (Status.CORRECT, Status.SKIPPED) for o in outcomes):
            return [without_time(o) for o in outcomes]
        return outcomes

    def _outcome(self, candidate: Candidate, workload: Workload) -> Outcome:
        if workload.timed and self.interpreted:
            reason = "runs in Triton's interpreter here, which has no time; a GPU gives it one"
            return Outcome(workload.name, Status.SKIPPED, reason)
        if unfit := self.rung.why_not(workload.dtype):
            return Outcome(workload.name, Status.SKIPPED, unfit)
        layout = self.bench.layout(self.problem, workload)
        if layout.bytes_needed > self.bench.free_bytes():
            gigabytes = layout.bytes_needed / 1e9
            reason = f"needs {gigabytes:.1f} GB of memory to judge, more than is free"
            return Outcome(workload.name, Status.SKIPPED, reason)
        checker = Checker(self.problem, workload)
        try:
            player = self.player(candidate, workload, checker)
            if workload.timed:
                return self._timed(player, workload)
            player.warm_up(CATCH_ROUNDS)
        except tuple(STATUS) as error:
            return self.stopped(workload, error)
        return checked(workload, checker)

    def player(self, candidate: Candidate, workload: Workload, checker: Checker) -> Player:
        """The loaded candidate, ready to make calls on this workload."""
        limit_s = self.judge.limit_s
        stage = self.bench.stage(self.problem, workload)
        self.bench.attach(candidate, stage, limit_s)
        cold = not self.judge.warm
        return Player(stage, candidate, checker, self.returns, limit_s, cold, self.way)

    def stopped(self, workload: Workload, error: Exception) -> Outcome:
        """The outcome where one of the errors in STATUS ended the calls."""
        status = STATUS[type(error)]
        if status is Status.SKIPPED and not self.interpreted:
            status = Status.CRASHED
        return Outcome(workload.name, status, str(error))

    def _timed(self, player: Player, workload: Workload) -> Outcome:
        player.warm_up()
        outcome = self._timed_once(player, workload)
        if outcome.status is Status.SUSPECT and self.judge.device in DRIFTS:
            with empty_child(self.judge) as beside:
                outcome = self._timed_once(replace(player, beside=beside), workload)
        return outcome

    def _timed_once(self, player: Player, workload: Workload) -> Outcome:
        watch = Watch(self.judge.device)
        watch.start()
        rounds = Rounds() if player.checker.fault else time_rounds(player, watch)
        if rounds.samples:
            rounds.samples, rounds.note = confirmed(player, rounds.samples)
        return self.concluded(workload, player.checker, rounds, watch.stop())

    def concluded(
        self, workload: Workload, checker: Checker, rounds: Rounds, machine: Machine
    ) -> Outcome:
        """What rounds that were played to their end come to."""
        self.machine[workload.name] = machine.summary
        outcome = checked(workload, checker)
        if outcome.status is not Status.CORRECT:
            return outcome
        if rounds.discarded > len(rounds.samples):
            reason = f"compiled inside {rounds.discarded} of {rounds.played} calls"
            return Outcome(workload.name, Status.INVALID, reason)
        suspicion = unaccounted(
            rounds.samples,
            rounds.way or self.way,
            rounds.empty_us,
            self.returns,
            self.judge.device,
            self.harness,
        ) or self._impossible(workload, rounds)
        if suspicion:
            return Outcome(workload.name, Status.SUSPECT, suspicion)
        if machine.invalid:
            return Outcome(workload.name, Status.INVALID, machine.invalid)
        return self._measured(workload, outcome, rounds, machine.summary)

    def _impossible(self, workload: Workload, rounds: Rounds) -> str | None:
        least_us = impossible_below_us(self.problem.cost(workload), self.bench.roofs.peaks)
        median_us = statistics.median(s.device_us for s in rounds.samples)
        if median_us >= least_us or self.judge.warm:
            return None
        return f"{median_us:.2f} us is less than this device's peaks allow ({least_us:.2f} us)"

    def _measured(
        self, workload: Workload, outcome: Outcome, rounds: Rounds, seen: dict[str, Any]
    ) -> Outcome:
        device = summarise([s.device_us for s in rounds.samples])
        cost = self.problem.cost(workload)
        other = self.rung.other_unit
        least = floor(cost, self.bench.roofs, other)
        allocation_us = statistics.median(s.allocation_us for s in rounds.samples)
        notes = [rounds.note] if rounds.note else []
        if other and other.name in self.bench.roofs.rates:
            often = f" {other.times:g} times" if other.times != 1 else ""
            notes.append(f"its floor and its limit count each operation{often} on {other.name}")
        if not self.filtered:
            notes.append("no system-call filter here: the candidate could signal other processes")
        if rounds.discarded:
            notes.append(f"{rounds.discarded} rounds discarded: it compiled inside them")
        if seen.get("power_capped"):
            notes.append("the power cap lowered the clock while it ran")
        return Outcome(
            workload=workload.name,
            status=Status.CORRECT,
            error=outcome.error,
            budget=outcome.budget,
            rounds=rounds.played,
            checked=outcome.checked,
            discarded=rounds.discarded,
            device=device,
            call=summarise([s.call_us for s in rounds.samples]),
            allocation_us=allocation_us if self.returns == "new" else None,
            floor=least,
            fraction=least.us / device.median_us,
            notes=tuple(notes),
            cost=cost,
        )


def chosen(problem: Problem, device: str, only: Sequence[str] | None) -> list[Workload]:
    if only is None:
        return [w for w in problem.workloads if w.runs_on(device)]
    workloads = []
    for name in only:
        workload = problem.workload(name)
        if workload is None:
            known = ", ".join(w.name for w in problem.workloads)
            raise BadInput(f"{problem.name} has no workload {name!r}; it has: {known}")
        workloads.append(workload)
    return workloads


def checked(workload: Workload, checker: Checker) -> Outcome:
    wrong = checker.verdict()
    return Outcome(
        workload=workload.name,
        status=Status.WRONG if wrong else Status.CORRECT,
        reason=wrong or "",
        error=checker.error,
        budget=checker.budget,
        rounds=checker.rounds,
        checked=checker.rounds,
    )


def without_time(outcome: Outcome) -> Outcome:
    """A rung that is not correct has no time, not even where it was right."""
    return replace(
        outcome,
        device=None,
        call=None,
        allocation_us=None,
        floor=None,
        fraction=None,
        limit=None,
        limit_by="",
        notes=(),
        cost=None,
    )
