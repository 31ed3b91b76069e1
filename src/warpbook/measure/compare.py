"""Two rungs in turns on one workload: which is faster, if that can be told.

Two children, alternated by the judge in blocks A B B A, so that drift and order cancel. Rounds of
both arms are drawn, flushed, timed and checked as for a judgement.
"""

import secrets
from typing import TYPE_CHECKING, Any

from warpbook.core.comparison import Comparison
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.core.statistics import BLOCKS, answer, noise_floor, ratio_interval, settled
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung
from warpbook.measure.candidate import Candidate, CandidateError
from warpbook.measure.check import Checker
from warpbook.measure.stage import Round, Tampered, Wrong
from warpbook.measure.timing import (
    LEAST_KEPT,
    WARM_UPS,
    Player,
    Sample,
    confirmed,
    sample,
    unaccounted,
)
from warpbook.measure.trial import Trial, chosen
from warpbook.measure.watch import Watch

if TYPE_CHECKING:
    from warpbook.measure.judge import Judge

ORDER = (0, 1, 1, 0)
TRIES = 3


class Match:
    """Two rungs in their children, ready to be compared, once or again and again."""

    def __init__(self, judge: "Judge", problem: Problem, a: Rung, b: Rung, name: str) -> None:
        self.judge = judge
        (self.workload,) = chosen(problem, judge.device, [name])
        self.arms = [Arm(judge, problem, rung, self.workload) for rung in (a, b)]

    def __enter__(self) -> "Match":
        try:
            for arm in self.arms:
                arm.load()
            treat_alike(self.arms)
            for arm in self.arms:
                arm.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for arm in self.arms:
            arm.candidate.end()

    def play(self) -> Comparison:
        watch = Watch(self.judge.device)
        watch.start()
        for arm in self.arms:
            arm.forget()
        take_turns(self.judge, self.arms, watch)
        for arm in self.arms:
            arm.confirm()
        invalid, seen = watch.stop()
        if invalid:
            raise NotCorrect(f"nothing can be said here: {invalid}")
        for arm in self.arms:
            arm.conclude()
        return self._comparison(seen)

    def _comparison(self, seen: dict[str, Any]) -> Comparison:
        a, b = self.arms
        a_us, b_us = times(self.arms)
        device = self.judge.device
        ratio, low, high = ratio_interval(a_us, b_us)
        noise = noise_floor(a_us, b_us, device)
        noted = tuple(f"{arm.rung.name}: {arm.note}" for arm in self.arms if arm.note)
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
        )


class Arm:
    """One side of a comparison: a rung in its own child."""

    def __init__(self, judge: "Judge", problem: Problem, rung: Rung, workload: Workload) -> None:
        self.rung = rung
        self.workload = workload
        self.trial = Trial(judge, problem, rung)
        if self.trial.interpreted:
            raise BadInput(f"{rung.name} has no time here: it runs in Triton's interpreter")
        self.candidate: Candidate = judge.candidate()
        self.checker = Checker(problem, workload)
        self.samples: list[Sample] = []
        self.empty_us: list[float] = []
        self.note: str | None = None

    def forget(self) -> None:
        """Start on a new comparison; the checker goes on over all of them."""
        self.samples, self.empty_us, self.note = [], [], None

    def load(self) -> None:
        refusal = self.trial.load(self.candidate)
        if refusal:
            raise NotCorrect(f"{self.rung.name} was {refusal.status}: {refusal.reason}")

    def start(self) -> None:
        self.player = self.trial.player(self.candidate, self.workload, self.checker)
        with Blame(self):
            self.player.warm_up(WARM_UPS)

    def confirm(self) -> None:
        with Blame(self):
            self.samples, self.note = confirmed(self.player, self.samples)

    def conclude(self) -> None:
        wrong = self.checker.verdict()
        suspicion = unaccounted(self.samples, self.trial.way, self.empty_us, self.trial.returns)
        if wrong:
            raise NotCorrect(f"{self.rung.name} is wrong on {self.workload.name}: {wrong}")
        if suspicion:
            raise NotCorrect(f"{self.rung.name} is suspect on {self.workload.name}: {suspicion}")


class Blame:
    """Says which arm a failure belongs to."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, CandidateError | Tampered | Wrong):
            raise NotCorrect(f"{self.arm.rung.name} on {self.arm.workload.name}: {error}") from None
        checker = self.arm.checker
        wrong = checker.verdict() if checker.rounds >= LEAST_KEPT else checker.fault
        if error is None and wrong:
            raise NotCorrect(f"{self.arm.rung.name} is wrong on {self.arm.workload.name}: {wrong}")


def take_turns(judge: "Judge", arms: list[Arm], watch: Watch) -> None:
    """Blocks until the ratio is settled. The device's clock is read once for several blocks."""
    least, _ = BLOCKS[judge.device]
    size = least if judge.device == "cuda" else 1
    tries = 0
    while not arms[0].samples or not settled(*times(arms), judge.device):
        played = play_blocks(judge, arms, size)
        watch.sample()
        if played is None:
            tries += 1
            if tries > TRIES * least:
                raise NotCorrect("one of the two compiles inside its calls, again and again")
            continue
        for arm, samples in zip(arms, played, strict=True):
            arm.samples += samples


def play_blocks(judge: "Judge", arms: list[Arm], size: int) -> list[list[Sample]] | None:
    """Some blocks; none when a call compiled, since a block counts only whole."""
    on_gpu = judge.device == "cuda"
    rounds: list[list[Round]] = [[], []]
    if on_gpu:
        for arm in arms:
            arm.player.profile(on=True)
    for _ in range(size):
        for index in ORDER:
            with Blame(arms[index]):
                rounds[index].append(play_one(arms[index].player))
                arms[index].empty_us.append(arms[index].player.empty_call_us())
    spans: list[dict[int, float]] = [{}, {}]
    for index, arm in enumerate(arms):
        with Blame(arm):
            spans[index] = arm.player.profile(on=False) if on_gpu else {}
    if any(played.compiled for arm in rounds for played in arm):
        return None
    samples = []
    for arm, played, found in zip(arms, rounds, spans, strict=True):
        with Blame(arm):
            samples.append([sample(r, found, on_gpu) for r in played])
    return samples


def play_one(player: Player) -> Round:
    """The coin decides what is checked; every round counts, since a block counts only whole."""
    played = player.play()
    if secrets.randbelow(2) or player.checker.rounds < LEAST_KEPT + WARM_UPS:
        player.check(played)
    return played


def times(arms: list[Arm]) -> tuple[list[float], list[float]]:
    a_us, b_us = ([s.device_us for s in arm.samples] for arm in arms)
    return a_us, b_us


def treat_alike(arms: list[Arm]) -> None:
    """Like is compared with like: where one rung must allocate its output, so does the other if
    it can."""
    if arms[0].trial.returns == arms[1].trial.returns:
        return
    for arm in arms:
        if arm.trial.either:
            arm.candidate.ask("allocate", arm.trial.judge.limit_s)
            arm.trial.returns = "new"


def unlike(arms: list[Arm]) -> tuple[str, ...]:
    if arms[0].trial.returns == arms[1].trial.returns:
        return ()
    return tuple(
        f"{arm.rung.name} allocates its output inside the call; the other is given a buffer"
        for arm in arms
        if arm.trial.returns == "new"
    )
