"""Timing one rung on one workload: rounds until the median is known, each one checked.

Every round is a call on new contents. After it returns the judge's own coin decides whether the
round is kept, and a kept round is both timed and checked.
"""

import math
import secrets
import statistics
import time
from dataclasses import dataclass, field, replace

from warpbook.core.statistics import half_width, summarise
from warpbook.measure.candidate import Candidate
from warpbook.measure.check import Checker
from warpbook.measure.stage import Round, Stage, Tampered
from warpbook.measure.watch import Watch

WARM_UPS = 3
LEAST_KEPT = 8
EMPTY_CALLS = 2
AUDITS = 7
AUDIT_TRIES = 3
# An audit of an honest rung on an H200 was seen to be off by up to 60 us, once in sixteen.
AUDIT_SLACK_US = 75
WAIT_CYCLES = 2_000_000  # about 1 ms: longer than a cold call takes the host
BATCH = {"cpu": 4, "cuda": 12}  # on a GPU a batch is one reading of the device's clock
ENOUGH = 0.01


@dataclass(frozen=True)
class Patience:
    """When to stop although the interval is still wider than asked."""

    kept: int
    seconds: float


# A CPU round costs about 0.1 s, nearly all of it the flush of four times the last-level cache.
PATIENCE = {"cpu": Patience(40, 1.5), "cuda": Patience(120, 3.0)}


@dataclass(frozen=True)
class Sample:
    device_us: float
    call_us: float
    elapsed_us: float
    allocation_us: float
    waking_us: float


@dataclass
class Rounds:
    """What was seen while timing."""

    samples: list[Sample] = field(default_factory=list)
    played: int = 0
    discarded: int = 0
    empty_us: list[float] = field(default_factory=list)
    note: str | None = None


@dataclass(frozen=True)
class Player:
    """A loaded candidate on a stage, and how to treat it."""

    stage: Stage
    candidate: Candidate
    checker: Checker
    returns: str
    limit_s: float
    cold: bool

    def warm_up(self, rounds: int = WARM_UPS) -> None:
        """Calls that are checked but not timed: the first ones compile and allocate."""
        for _ in range(rounds):
            self.check(self.play(cold=False))
            if self.checker.fault:
                return

    def play(self, cold: bool | None = None) -> Round:
        return self.stage.play(self.candidate, self.limit_s, self.cold if cold is None else cold)

    def empty_call_us(self, cold: bool = False) -> float:
        """What a call that does nothing costs the judge's own clock."""
        if cold:
            self.stage.make_ready(self.candidate, self.limit_s, self.cold)
        reply = self.candidate.ask("empty_call", self.limit_s)
        return reply.elapsed_us - reply.number("call_ns") / 1e3

    def audit(self) -> tuple[float, float]:
        """The device time by the judge's own clock, and what it takes to wake the GPU for a call
        that does nothing. Calls are queued behind a kernel that waits, so that what the host does
        is over when their own work starts; the wait alone is taken off."""
        with_call, alone, waking = [], [], []
        for _ in range(AUDITS):
            played = self.stage.play(self.candidate, self.limit_s, self.cold, behind=WAIT_CYCLES)
            self.check(played)
            with_call.append(played.elapsed_us)
            waking.append(self.stage.make_ready(self.candidate, self.limit_s, self.cold))
            waited = self.candidate.ask("empty_call", self.limit_s, behind=WAIT_CYCLES)
            alone.append(waited.elapsed_us)
        return statistics.median(with_call) - statistics.median(alone), statistics.median(waking)

    def check(self, played: Round) -> None:
        self.stage.check(self.candidate, self.checker, played, self.returns, self.limit_s)

    def profile(self, on: bool) -> dict[int, float]:
        """Start the device's clock, or stop it and get the device time of each round."""
        reply = self.candidate.ask("profile", self.limit_s, on=on)
        if on:
            return {}
        if reply.number("outside"):
            raise Tampered("the device worked for it outside its calls")
        if reply.number("missing"):
            raise Tampered("the device's clock was stopped meanwhile")
        return {int(n): int(ns) / 1e3 for n, ns in reply.fields.get("spans", [])}

    def batch(self, rounds: Rounds, size: int) -> None:
        on_gpu = self.stage.arena.device == "cuda"
        if on_gpu:
            self.profile(on=True)
        kept = []
        for _ in range(size):
            played = self.play()
            rounds.played += 1
            if played.compiled:
                rounds.discarded += 1
                continue
            if secrets.randbelow(4):
                self.check(played)
                kept.append(played)
                rounds.empty_us.append(self.empty_call_us())
            if self.checker.fault:
                break
        spans = self.profile(on=False) if on_gpu else {}
        rounds.samples += [sample(played, spans, on_gpu) for played in kept]


def sample(played: Round, spans: dict[int, float], on_gpu: bool) -> Sample:
    """On the CPU there is one clock; on a GPU the device's must fit inside the host's."""
    device_us = played.call_us
    if on_gpu:
        if played.number not in spans:
            raise Tampered("the device did nothing during the call")
        device_us = spans[played.number]
        if device_us > played.call_us + 20:
            raise Tampered("the device's clock and the host's disagree")
    if played.call_us > played.elapsed_us:
        raise Tampered("claims more time than has passed")
    return Sample(
        device_us, played.call_us, played.elapsed_us, played.allocation_us, played.waking_us
    )


def time_rounds(player: Player, watch: Watch) -> Rounds:
    """Rounds until the interval of the median is within 1%, or patience ends."""
    rounds = Rounds(empty_us=[player.empty_call_us(cold=True) for _ in range(EMPTY_CALLS)])
    device = player.stage.arena.device
    patience, size = PATIENCE[device], BATCH[device]
    began = time.monotonic()
    while not player.checker.fault:
        player.batch(rounds, size)
        watch.sample()
        kept = len(rounds.samples)
        if kept < LEAST_KEPT and rounds.discarded < 4 * LEAST_KEPT:
            continue
        if kept < LEAST_KEPT or kept >= patience.kept:
            break
        if time.monotonic() - began > patience.seconds:
            break
        if half_width(summarise([s.device_us for s in rounds.samples])) <= ENOUGH:
            break
    return rounds


def confirmed(player: Player, samples: list[Sample]) -> tuple[list[Sample], str | None]:
    """Device times that the judge's own clock bears out. It cannot see less than the device did;
    where it sees clearly more, time after time, that may be the host's doing (a rung that
    synchronises first) or a lie, and either way its own figure is the one that stands."""
    if player.stage.arena.device != "cuda":
        return samples, None
    claimed = statistics.median(s.device_us for s in samples)
    seen = math.inf
    for _ in range(AUDIT_TRIES):
        from_outside, waking = player.audit()
        if statistics.median(s.waking_us for s in samples) > 1.5 * waking + AUDIT_SLACK_US:
            raise Tampered("worked while the GPU was woken for its call")
        seen = min(seen, from_outside)
        if seen <= 1.1 * claimed + AUDIT_SLACK_US:
            return samples, None
    note = f"its kernels' own {claimed:.1f} us are not borne out by the judge's clock, which stands"
    return [replace(s, device_us=s.device_us * seen / claimed) for s in samples], note


def unaccounted(samples: list[Sample], empty_us: list[float]) -> str | None:
    """The judge's clock sees each call from further off, by a way there and back that is known
    from empty calls made in between. Its quick rounds cannot be slower than what is claimed for
    the middle one; a busy machine makes rounds and empty calls slower alike."""
    claimed = statistics.median(s.call_us for s in samples)
    seen = sorted(s.elapsed_us for s in samples)[len(samples) // 5]
    way = max(*empty_us[:EMPTY_CALLS], sorted(empty_us)[4 * len(empty_us) // 5])
    if seen <= claimed + 1.2 * way + 25 + 0.02 * seen:
        return None
    return f"claims {claimed:.0f} us for calls that took about {seen - way:.0f} us"
