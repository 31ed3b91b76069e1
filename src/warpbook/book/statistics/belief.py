"""Belief: the chance that a hypothesis is true, from what its author expected and what was seen.

A mixture of "nothing much happens" and the author's 80% interval, updated by the mean of the runs.
It orders the queue and decides nothing. All functions take arrays, one value a hypothesis.

Knows nothing of authors or their records: a prior arrives already widened.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from warpbook.book.statistics.distributions import NORMAL, Floats, normal_cdf

EIGHTY = NORMAL.inv_cdf(0.9)  # half of an 80% interval, in deviations
# The spread of "nothing much happens", as a part of the least effect: 2% of it reaches that. With
# a least effect of 0, as a part of what a run strays by.
NOTHING = 0.5
# Of 16 points half are exact to 1e-14 bits, and 99% to 0.05: the rest are intervals many times as
# wide as the noise, about delta.
POINTS, POINT_WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
POINT_WEIGHTS = POINT_WEIGHTS / POINT_WEIGHTS.sum()
TINY = 1e-150  # in place of a spread of 0


@dataclass(frozen=True)
class Prior:
    """What the author expects of the effect: with this weight an 80% interval, else nothing."""

    low: float
    high: float
    weight: float
    widen: float = 1.0


@dataclass(frozen=True)
class Mixture:
    """Normal components of an effect. [hypothesis, component]"""

    weights: Floats
    means: Floats
    spreads: Floats


def belief(prior: Prior, delta: float, estimate: float | None, n: int, sigma: float) -> float:
    """The chance that the effect is at least delta, after n runs with this mean."""
    seen = 0.0 if estimate is None else estimate
    return float(
        chance(after(mixture([prior], [delta], [sigma]), [seen], [n], [sigma]), [delta])[0]
    )


def expected_drops(
    priors: list[Prior], deltas: ArrayLike, estimates: ArrayLike, n: ArrayLike, sigmas: ArrayLike
) -> Floats:
    """By how many bits one more run is expected to lower the entropy of each belief."""
    now = after(mixture(priors, deltas, sigmas), estimates, n, sigmas)
    delta, sigma = (np.asarray(v, np.float64) for v in (deltas, sigmas))
    spread = np.hypot(now.spreads, sigma[:, None])
    run = now.means[..., None] + spread[..., None] * POINTS  # [hypothesis, component, point]
    each = run.shape[1] * run.shape[2]

    def repeated(values: Floats) -> Floats:
        return np.repeat(values, each, axis=0)

    later = after(
        Mixture(repeated(now.weights), repeated(now.means), repeated(now.spreads)),
        run.ravel(),
        np.ones(run.size),
        repeated(sigma),
    )
    bits = entropy(chance(later, repeated(delta))).reshape(run.shape)
    expected = (now.weights * (bits @ POINT_WEIGHTS)).sum(axis=1)
    # Entropy cannot rise on average; what is left of that is the rule's error.
    drops: Floats = np.maximum(entropy(chance(now, delta)) - expected, 0)
    return drops


def mixture(priors: list[Prior], deltas: ArrayLike, sigmas: ArrayLike) -> Mixture:
    columns = np.array([(p.low, p.high, p.weight, p.widen) for p in priors], dtype=np.float64)
    low, high, weight, widen = columns.reshape(-1, 4).T
    delta, sigma = np.asarray(deltas, np.float64), np.asarray(sigmas, np.float64)
    nothing = NOTHING * np.where(delta == 0, sigma, np.abs(delta))
    expected = (high - low) / (2 * EIGHTY) * widen
    return Mixture(
        np.stack([1 - weight, weight], axis=1),
        np.stack([np.zeros_like(low), (low + high) / 2], axis=1),
        np.stack([nothing, expected], axis=1),
    )


def after(before: Mixture, mean: ArrayLike, n: ArrayLike, sigma: ArrayLike) -> Mixture:
    """Each component given n runs with this mean, and weighed by how well it foresaw them."""
    mean, count = (np.asarray(v, np.float64)[:, None] for v in (mean, n))
    variance = np.asarray(sigma, np.float64)[:, None] ** 2
    prior = before.spreads**2
    # The variance of the mean of the runs, times their number.
    spread = np.maximum(variance + count * prior, TINY)
    pull = count * prior / spread
    foreseen = np.where(count > 0, spread / np.maximum(count, 1), 1)
    miss = np.where(count > 0, mean - before.means, 0)
    with np.errstate(divide="ignore"):
        logs = np.log(before.weights)
    logs = logs - miss**2 / (2 * foreseen) - np.log(foreseen) / 2
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return Mixture(
        weights / weights.sum(axis=1, keepdims=True),
        before.means + pull * miss,
        before.spreads * np.sqrt(1 - pull),
    )


def chance(effect: Mixture, delta: ArrayLike) -> Floats:
    above = effect.means - np.asarray(delta, np.float64)[:, None]
    reach = above / np.maximum(effect.spreads, TINY)
    total: Floats = (effect.weights * normal_cdf(reach)).sum(axis=1)
    return np.clip(total, 0, 1)


def entropy(chances: Floats) -> Floats:
    """In bits, of a yes or no with this chance."""
    sides = np.stack([chances, 1 - chances])
    logs = np.log2(np.where(sides > 0, sides, 1))
    bits: Floats = -(sides * logs).sum(axis=0)
    return bits
