"""Expected again: what an effect would show if it were measured afresh.

The best of many is partly lucky. Empirical Bayes: effects of a campaign are normal about their
mean with a spread that the estimates themselves tell, and each is pulled in by as much as its own
error is large beside that spread (Morris, 1983). Under four estimates there is no spread to tell,
and the estimate stands as it is.

Knows nothing of verdicts; a claim to an effect still rests on fresh runs.
"""

import math
from collections.abc import Sequence

import numpy as np

from warpbook.book.statistics.distributions import NORMAL, Floats

LEAST = 4
NINETY_FIVE = NORMAL.inv_cdf(0.975)


def expected_again(
    estimate: float, error: float, estimates: Sequence[float], errors: Sequence[float]
) -> tuple[float, float, float]:
    """The value and its 95% interval. `estimates` and their standard errors are those of the whole
    campaign, this one among them."""
    k = len(estimates)
    if k < LEAST:
        return estimate, estimate - NINETY_FIVE * error, estimate + NINETY_FIVE * error
    values, variances = np.array(estimates, np.float64), np.square(np.array(errors, np.float64))
    between = spread_between(values, variances)
    middle = weighted_mean(values, variances + between)
    own = error**2 / (error**2 + between) if error else 0.0
    pull = (k - 3) / (k - 1) * own
    value = estimate - pull * (estimate - middle)
    variance = error**2 * (1 - (k - 1) / k * pull) + 2 / (k - 3) * (pull * (estimate - middle)) ** 2
    half = NINETY_FIVE * math.sqrt(variance)
    return value, value - half, value + half


def spread_between(values: Floats, variances: Floats) -> float:
    """The variance of the true effects: the one at which the weighted squares about the mean come
    out as they should (Paule and Mandel), by bisection; 0 if the errors alone explain them."""
    low, high = 0.0, float(np.ptp(values)) ** 2 * len(values)
    if excess(values, variances, low) <= 0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(values, variances, middle) > 0 else (low, middle)
    return high


def excess(values: Floats, variances: Floats, between: float) -> float:
    total = np.maximum(variances + between, np.finfo(np.float64).tiny)
    about = values - weighted_mean(values, total)
    return float(np.sum(about**2 / total)) - (len(values) - 1)


def weighted_mean(values: Floats, variances: Floats) -> float:
    weights = 1 / np.maximum(variances, np.finfo(np.float64).tiny)
    return float(np.sum(values * (weights / weights.max())) / np.sum(weights / weights.max()))
