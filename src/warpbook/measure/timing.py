"""Timing one rung on one workload: rounds until the median is known, each one checked.

Every round is a call on new contents. After it returns the judge's own coin decides whether the
round is kept, and a kept round is both timed and checked.
"""

import math
import secrets
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from warpbook.core.judgement import NOT_BORNE_OUT
from warpbook.core.statistics import half_width, summarise
from warpbook.measure.candidate import Candidate, Forged
from warpbook.measure.check import Checker
from warpbook.measure.flush import Flusher
from warpbook.measure.stage import Round, Stage, Tampered
from warpbook.measure.watch import Watch

WARM_UPS = 3
LEAST_KEPT = 8
EMPTY_CALLS = 5
AUDITS = 7
# What a round costs the harness on its core beyond an empty call, cold: up to 120 us, and 220 us
# where it takes in a new tensor and lets go of an old one.
HARNESS_US = {
    "cpu": {"out": 130, "in place": 130, "new": 400},
    "cuda": {"out": 150, "in place": 150, "new": 400},
}
# And how much dearer than it was measured the way there may have become. On a CPU it is half a
# millisecond, and a fifth of that would hide a quarter shaved off a call of one.
DEARER = {"cpu": 1.0, "cuda": 1.2}
AUDIT_TRIES = 3
# Audits of honest rungs on an H200 were seen to be off by up to 61 us.
AUDIT_SLACK_US = 75
# A kernel that waits while a call is queued behind it: 1 ms, which is longer than most cold calls
# take the host, and three times what this one took it.
WAIT_US = 1000.0
WAIT_CYCLES_A_US = 2000
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
    busy_us: float
    allocation_us: float
    waking_us: float


class Way(NamedTuple):
    """To the child and back, with nothing done there: by the judge's clock, on its core, and to
    wake the GPU. Taken before the candidate is imported, which could make it longer at will."""

    elapsed_us: float
    busy_us: float
    waking_us: float


@dataclass
class Rounds:
    """What was seen while timing."""

    samples: list[Sample] = field(default_factory=list)
    played: int = 0
    discarded: int = 0
    empty_us: list[float] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    note: str | None = None

    @property
    def way(self) -> Way | None:
        """The way to the child and back while they were played, where that was measured."""
        return middle_way(self.ways) if self.ways else None


@dataclass(frozen=True)
class Player:
    """A loaded candidate on a stage, and how to treat it. `beside` is a child that holds none: the
    way to it is measured after every round, under the conditions of that round."""

    stage: Stage
    candidate: Candidate
    checker: Checker
    returns: str
    limit_s: float
    cold: bool
    way: Way
    beside: Candidate | None = None

    def warm_up(self, rounds: int = WARM_UPS) -> float:
        """Calls that are checked but not timed: the first ones compile and allocate. Says how long
        the last one took, on the judge's clock."""
        elapsed_us = 0.0
        for _ in range(rounds):
            played = self.play(cold=False)
            elapsed_us = played.elapsed_us
            self.check(played)
            if self.checker.fault:
                break
        return elapsed_us

    def play(self, cold: bool | None = None) -> Round:
        return self.stage.play(self.candidate, self.limit_s, self.cold if cold is None else cold)

    def call_nothing(self, rounds: Rounds) -> None:
        """What a call that does nothing costs the judge's own clock just now."""
        reply = self.candidate.ask("empty_call", self.limit_s)
        rounds.empty_us.append(reply.elapsed_us - reply.number("call_ns") / 1e3)
        if self.beside:
            device = self.stage.arena.device
            way = one_way(self.beside, self.stage.flusher, device, self.cold, self.limit_s)
            rounds.ways.append(way)

    def audit(self, host_us: float) -> float:
        """The device time by the judge's own clock. Calls are queued behind a kernel that waits,
        so that what the host does is over when their own work starts; the wait alone is taken
        off. A longer wait than needed hides nothing: all that was queued comes after it."""
        cycles = int(max(WAIT_US, 3 * host_us) * WAIT_CYCLES_A_US)
        with_call, alone = [], []
        for _ in range(AUDITS):
            played = self.stage.play(self.candidate, self.limit_s, self.cold, behind=cycles)
            self.check(played)
            with_call.append(played.elapsed_us)
            self.stage.make_ready(self.candidate, self.limit_s, self.cold)
            waited = self.candidate.ask("empty_call", self.limit_s, behind=cycles)
            alone.append(waited.elapsed_us)
        return statistics.median(with_call) - statistics.median(alone)

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
        try:
            spans = {int(n): int(ns) / 1e3 for n, ns in reply.fields["spans"]}
        except (KeyError, TypeError, ValueError):
            raise Forged("the harness answered nonsense about its kernels") from None
        if any(span <= 0 for span in spans.values()):
            raise Forged("the harness answered that its kernels took no time")
        return spans

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
                self.call_nothing(rounds)
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
        device_us=device_us,
        call_us=played.call_us,
        elapsed_us=played.elapsed_us,
        busy_us=played.busy_us,
        allocation_us=played.allocation_us,
        waking_us=played.waking_us,
    )


def time_rounds(player: Player, watch: Watch) -> Rounds:
    """Rounds until the interval of the median is within 1%, or patience ends."""
    rounds = Rounds()
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
    if (
        statistics.median(s.waking_us for s in samples)
        > 1.5 * player.way.waking_us + AUDIT_SLACK_US
    ):
        raise Tampered("worked while the GPU was woken for its call")
    claimed = statistics.median(s.device_us for s in samples)
    host_us = statistics.median(s.call_us - s.device_us for s in samples)
    seen = math.inf
    for _ in range(AUDIT_TRIES):
        seen = min(seen, player.audit(host_us))
        if seen <= 1.1 * claimed + AUDIT_SLACK_US:
            return samples, None
    note = f"its kernels' own {claimed:.1f} us are {NOT_BORNE_OUT}, which stands"
    return [replace(s, device_us=s.device_us * seen / claimed) for s in samples], note


def way_there_and_back(
    candidate: Candidate, flusher: Flusher, device: str, cold: bool, limit_s: float
) -> Way:
    """Ask a child that holds no candidate yet, under the conditions of a timed call."""
    one_way(candidate, flusher, device, False, limit_s)  # it copies pages and loads a kernel
    return middle_way(
        [one_way(candidate, flusher, device, cold, limit_s) for _ in range(EMPTY_CALLS)]
    )


def one_way(candidate: Candidate, flusher: Flusher, device: str, cold: bool, limit_s: float) -> Way:
    if cold:
        flusher.flush()
    waking_us = candidate.ask("touch", limit_s).elapsed_us if device == "cuda" else 0.0
    reply = candidate.ask("empty_call", limit_s)
    call_us = reply.number("call_ns") / 1e3
    return Way(reply.elapsed_us - call_us, reply.busy_us - call_us, waking_us)


def middle_way(ways: Sequence[Way]) -> Way:
    return Way(*(statistics.median(part) for part in zip(*ways, strict=True)))


def unaccounted(
    samples: list[Sample],
    way: Way,
    empty_us: list[float],
    returns: str,
    device: str,
    harness: float = 1.0,
) -> str | None:
    """What is claimed, against the judge's clock and the kernel's account of the child, less the
    way there and back.

    No thread can have been on its core for longer than the call and the harness's own share,
    however busy the machine is. The judge's quick rounds cannot be slower than what is claimed
    for the middle one; a busy machine makes rounds and the empty calls in between slower alike.
    `harness` is how much more than usual the harness is allowed.
    """
    own_us = harness * HARNESS_US[device][returns]
    claimed = statistics.median(s.call_us for s in samples)
    busy = statistics.median(s.busy_us - s.call_us for s in samples)
    if busy > DEARER[device] * way.busy_us + own_us + 0.03 * claimed:
        kept = claimed + busy - way.busy_us
        return f"claims {claimed:.0f} us for calls that kept a core for {kept:.0f} us"
    seen = sorted(s.elapsed_us for s in samples)[len(samples) // 5]
    there = max(way.elapsed_us, sorted(empty_us)[4 * len(empty_us) // 5])
    if seen > claimed + 1.2 * there + own_us + 0.02 * seen:
        return f"claims {claimed:.0f} us for calls that took about {seen - there:.0f} us"
    return None
