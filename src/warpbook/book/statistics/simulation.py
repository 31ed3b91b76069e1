"""Simulated campaigns: the book's own statistics at work on effects whose truth is known.

A campaign is drawn from a seed, with every run it could ever make, so that two ways to order its
runs are told apart by their order alone. Its verdicts are looked at after each run; a decided
hypothesis gets no more runs unless its verdict falls again. `bench/campaigns.py` has the bars.

Knows nothing of the store, the queue's pins or the lab.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from warpbook.book.statistics.belief import Prior, expected_drops
from warpbook.book.statistics.calibration import record_of
from warpbook.book.statistics.distributions import Floats
from warpbook.book.statistics.evidence import Evidence, evidence
from warpbook.book.statistics.noise import noise_of
from warpbook.book.statistics.prediction import Score, score
from warpbook.book.statistics.turns import turns
from warpbook.book.statistics.verdict import (
    LEAST_RUNS,
    Verdict,
    log_threshold,
    runs_to_decide,
    verdicts,
)
from warpbook.book.statistics.worth import worth

DELTA = math.log(1.03)
HYPOTHESES = 20
FALSE = (-0.5, 0.0, 0.5, 0.8, 0.99)  # of delta
FAR = 0.8, 1.2  # of delta; outside of it a hypothesis is a clear case
MOST_OF_THEM = 0.8
MOST_RUNS = 60  # of one hypothesis
BUDGET = 12  # runs a hypothesis, on average


@dataclass(frozen=True)
class Campaign:
    """Half the hypotheses are false. Of the true ones a third lie at 1.5 delta, the others anywhere
    from 1.2 to 4. Runs stray by 0.3% to 1.2%; of that a third to two thirds shows within a run. A
    run costs 30 to 300 seconds. The author foresees 1.5 to 4 delta whatever the truth, or one to
    two times the truth if that is more, give or take a tenth to a third, and is 50% to 95% sure.
    A third of the campaigns has 12 runs of A against A, a third gets them one by one, a third
    never has any."""

    shares: Floats  # the true effects, of delta
    seconds: Floats
    runs: Floats  # [hypothesis, run]
    errors: Floats
    priors: list[Prior]
    again: list[float]  # what A against A shows
    again_every: int  # runs between two of A against A; 0: all of them are there from the start

    @property
    def true(self) -> NDArray[np.bool_]:
        return self.shares >= 1


def draw(seed: int, share: float | None = None) -> Campaign:
    """With `share` every effect is this much of delta."""
    rng = np.random.default_rng(seed)
    sigma = 0.003 * 4 ** rng.random()
    true = rng.permutation(HYPOTHESES) < HYPOTHESES // 2
    exact = rng.random(HYPOTHESES) < 1 / 3
    large = np.where(exact, 1.5, np.exp(rng.uniform(np.log(1.2), np.log(4), HYPOTHESES)))
    shares = np.where(true, large, rng.choice(FALSE, HYPOTHESES))
    if share is not None:
        shares = np.full(HYPOTHESES, share)
    shape = (HYPOTHESES, MOST_RUNS)
    within = sigma * rng.uniform(1 / 3, 2 / 3)
    hoped = DELTA * np.maximum(
        rng.uniform(1.5, 4, HYPOTHESES), shares * (1 + rng.random(HYPOTHESES))
    )
    half = hoped * rng.uniform(0.1, 0.33, HYPOTHESES)
    sure = rng.uniform(0.5, 0.95, HYPOTHESES)
    kind = seed % 3
    return Campaign(
        shares,
        seconds=30 * 10 ** rng.random(HYPOTHESES),
        runs=DELTA * shares[:, None] + sigma * rng.normal(size=shape),
        errors=within * np.sqrt(rng.chisquare(6, size=shape) / 6),
        priors=[Prior(h - w, h + w, s) for h, w, s in zip(hoped, half, sure, strict=True)],
        again=(sigma * rng.normal(size=0 if kind == 0 else 12)).tolist(),
        again_every=3 if kind == 2 else 0,
    )


@dataclass
class Play:
    """A campaign under way."""

    campaign: Campaign
    counts: list[int] = field(default_factory=lambda: [0] * HYPOTHESES)
    since: list[float] = field(default_factory=lambda: [float(i) for i in range(HYPOTHESES)])
    played: int = 0
    spent_s: float = 0.0

    def __post_init__(self) -> None:
        self.noise = noise_of(self.again())
        self.evidence = [self.weigh(i) for i in range(HYPOTHESES)]
        self.verdicts = [Verdict.OPEN] * HYPOTHESES

    def again(self) -> list[float]:
        every = self.campaign.again_every
        return self.campaign.again[: self.played // every] if every else self.campaign.again

    def weigh(self, i: int) -> Evidence:
        n = self.counts[i]
        runs, errors = self.campaign.runs[i, :n], self.campaign.errors[i, :n]
        return evidence(runs.tolist(), errors.tolist(), DELTA, self.noise)

    def run(self, i: int) -> None:
        self.counts[i] += 1
        self.played += 1
        self.spent_s += float(self.campaign.seconds[i])
        self.since[i] = HYPOTHESES + self.played
        noise = noise_of(self.again())
        if noise.enough and noise != self.noise:
            self.noise = noise
            self.evidence = [self.weigh(k) for k in range(HYPOTHESES)]
        else:
            self.evidence[i] = self.weigh(i)
        self.verdicts = verdicts(
            [e.log_support for e in self.evidence],
            [e.log_refute for e in self.evidence],
            self.counts,
        )

    def open(self, most_runs: int) -> list[int]:
        states = enumerate(zip(self.verdicts, self.counts, strict=True))
        return [i for i, (found, n) in states if found is Verdict.OPEN and n < most_runs]


Choose = Callable[[Play, list[int]], int]


@dataclass(frozen=True)
class Played:
    verdicts: list[Verdict]
    counts: list[int]
    far_s: float | None  # when 80% of those outside 0.8 to 1.2 delta were decided; None: never
    spent_s: float


def play(campaign: Campaign, choose: Choose, most_runs: int = MOST_RUNS) -> Played:
    """Until everything is decided, has had its runs, or the budget is spent."""
    far = (campaign.shares < FAR[0]) | (campaign.shares > FAR[1])
    budget_s = BUDGET * float(campaign.seconds.sum())
    state, far_s = Play(campaign), None
    while state.spent_s < budget_s and (waiting := state.open(most_runs)):
        state.run(choose(state, waiting))
        decided = np.array([v is not Verdict.OPEN for v in state.verdicts])
        if far_s is None and decided[far].sum() >= MOST_OF_THEM * far.sum() > 0:
            far_s = state.spent_s
    return Played(state.verdicts, state.counts, far_s, state.spent_s)


def false_shares(campaign: Campaign, found: list[Verdict]) -> tuple[float, float]:
    """Of the supported, those that are false; of the refuted, those that are true."""
    supported = np.array([v is Verdict.SUPPORTED for v in found])
    refuted = np.array([v is Verdict.REFUTED for v in found])
    return (
        float((supported & ~campaign.true).sum() / max(supported.sum(), 1)),
        float((refuted & campaign.true).sum() / max(refuted.sum(), 1)),
    )


def by_intervals(campaign: Campaign, most_runs: int) -> list[Verdict]:
    """What a 95% interval clear of delta says, looked at after each run from the third on: the
    mistake that e-values avoid."""
    return [
        first_clear(evidence(runs[:n], errors[:n], DELTA) for n in range(LEAST_RUNS, most_runs + 1))
        for runs, errors in zip(campaign.runs.tolist(), campaign.errors.tolist(), strict=True)
    ]


def first_clear(looks: Iterable[Evidence]) -> Verdict:
    for look in looks:
        if look.low is not None and look.low > DELTA:
            return Verdict.SUPPORTED
        if look.high is not None and look.high < DELTA:
            return Verdict.REFUTED
    return Verdict.OPEN


def by_worth(play: Play, waiting: list[int]) -> int:
    """As the queue does it."""
    scores = worths(play) / play.campaign.seconds
    order = turns(scores[waiting], [play.since[i] for i in waiting], play.played)
    return waiting[order[0]]


def in_turn(play: Play, waiting: list[int]) -> int:
    """First come, first served: one run each, and whoever is undecided queues up again."""
    return min(waiting, key=lambda i: play.since[i])


def to_the_end(play: Play, waiting: list[int]) -> int:
    """First come, first served: the first keeps its turn until it is decided or has had 12 runs."""
    return min(waiting, key=lambda i: (play.counts[i] // BUDGET, i))


def worths(play: Play) -> Floats:
    seen, n = play.evidence, np.array(play.counts, np.float64)
    widen = record_of("author", scores(play)).widen
    priors = [Prior(p.low, p.high, p.weight, widen) for p in play.campaign.priors]
    centre = [(p.low + p.high) / 2 for p in priors]
    estimates = np.array(
        [c if e.estimate is None else e.estimate for e, c in zip(seen, centre, strict=True)]
    )
    sigmas = np.array([e.sigma for e in seen])
    drops = expected_drops(priors, np.full(len(seen), DELTA), estimates, n, sigmas)
    picked = [
        log_threshold(HYPOTHESES, play.verdicts.count(v))
        for v in (Verdict.SUPPORTED, Verdict.REFUTED)
    ]
    excess = estimates - DELTA
    more = play.noise.runs if play.noise.enough else 0
    needed = runs_to_decide(excess, sigmas, n, more, np.where(excess > 0, *picked))
    decided = [v is not Verdict.OPEN for v in play.verdicts]
    return worth(drops, needed, decided)


def scores(play: Play) -> list[Score]:
    """Of the predictions whose hypotheses are decided."""
    return [
        score(p.low, p.high, e.estimate, e.low, e.high)
        for p, e, v in zip(play.campaign.priors, play.evidence, play.verdicts, strict=True)
        if v is not Verdict.OPEN and e.estimate is not None
    ]
