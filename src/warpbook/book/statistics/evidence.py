"""What the runs of a hypothesis say for and against it: two e-values, an estimate, an interval.

A run's effect is normal about the truth with an unknown spread sigma; the runs of A against A have
the same spread about zero. The e-value is a likelihood ratio: the effect lies d sigmas beyond
delta, against exactly at delta, averaged over a fixed grid of d, with the scale-free prior on sigma
under both. That ratio needs no guess of sigma, is a product over the runs, each given those before
it, and falls when the truth lies further on the other side. So its expectation stays at most 1
while the claim it speaks against is true, at whatever run somebody stops. The runs of A against A
enter as data whose ratio is 1 in themselves, once there are enough of them.

Knows nothing of campaigns: what an e-value decides is for `verdict.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from warpbook.book.statistics.distributions import Floats, t_quantile
from warpbook.book.statistics.noise import NONE_YET, Noise

# Effects beyond delta, in sigmas, and how much each counts. A kernel that wins 1.5x where runs
# differ by 0.5% lies at 75. Small ones count more, since large ones have evidence to spare: in
# simulated campaigns that decides 2% sooner than equal weights; 16 points differ by half a percent.
GRID = np.geomspace(0.5, 90, 10)
LOG_WEIGHTS = -np.log(GRID) / 4 - math.log(np.sum(GRID**-0.25))
# What a run is taken to stray by before anything is known, as a part of the least effect.
UNKNOWN_SIGMA = 1 / 3
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(96)
DROP = 40.0  # where an integrand has fallen by e^-40, the rest is left out


@dataclass(frozen=True)
class Evidence:
    log_support: float  # against "the effect is at most delta"
    log_refute: float  # against "the effect is at least delta"
    n: int
    estimate: float | None  # the mean of the runs; None without runs
    low: float | None  # its 95% interval; None where one run is all there is to judge the spread by
    high: float | None
    sigma: float  # what the next run is expected to stray by
    basis: str


def evidence(
    thetas: Sequence[float], errors: Sequence[float], delta: float, noise: Noise = NONE_YET
) -> Evidence:
    """Of one effect a run, oriented so that the hypothesis claims at least delta, each with the
    error within its run. A guard is the same with minus its margin for delta."""
    if len(thetas) != len(errors) or not np.all(np.isfinite([*thetas, *errors, delta])):
        raise ValueError("an effect and its error for each run, all of them finite")
    n, more = len(thetas), noise.runs if noise.enough else 0
    if n == 0:
        return Evidence(0.0, 0.0, 0, None, None, None, expected_sigma(delta, noise), noise.basis)
    runs = np.array(thetas, dtype=np.float64)
    within = float(np.mean(np.square(errors)))
    estimate = float(runs.mean())
    rest = float(np.sum((runs - estimate) ** 2)) + more * noise.sigma**2
    freedom = n - 1 + more
    # Runs that agree better than the error within them do so by luck.
    floored = max(rest, freedom * within)
    support, refute = log_e_values(estimate - delta, rest, floored, n, n + more)
    sigma = expected_sigma(delta, noise, floored, freedom, within)
    low, high = None, None
    if freedom:
        half = t_quantile(0.975, freedom) * math.sqrt(floored / freedom / n)
        low, high = estimate - half, estimate + half
    return Evidence(support, refute, n, estimate, low, high, sigma, noise.basis)


def combine_guards(effect: Evidence, guards: Sequence[Evidence]) -> tuple[float, float]:
    """The two log e-values of "the effect is at least delta and every guard holds". It is false if
    any one part is, so each must be shown: the least. And each part speaks against the whole: their
    mean, since no single part was named beforehand."""
    parts = [effect, *guards]
    refutes = np.array([part.log_refute for part in parts])
    refute = float(np.logaddexp.reduce(refutes)) - math.log(len(parts))
    return min(part.log_support for part in parts), refute


def expected_sigma(
    delta: float, noise: Noise, rest: float = 0.0, freedom: int = 0, within: float = 0.0
) -> float:
    """Without enough runs of A against A a guess counts as one degree of freedom, so that two
    runs that happen to agree are not taken for a quiet machine."""
    if noise.enough:
        return math.sqrt(rest / freedom) if freedom else noise.sigma
    guess = max(abs(delta) * UNKNOWN_SIGMA, math.sqrt(within))
    return math.sqrt((rest + guess**2) / (freedom + 1))


def log_e_values(
    excess: float, rest: float, floored: float, n: int, total: int
) -> tuple[float, float]:
    """Of n runs with this mean beyond delta, and this sum of squares about it, as it is and as
    raised to the errors within the runs. The smaller e-value of the two counts: it is never above
    the plain one, so raising cannot make it invalid."""
    ways = np.array([direction(excess, rest, n), direction(excess, floored, n)])
    support, refute = log_mixture(np.array([ways.min(), -ways.max()]), n, total)
    return float(support), float(refute)


def direction(excess: float, rest: float, n: int) -> float:
    """The sum of the runs over the root of the sum of all squares: all that the ratio depends on,
    and it rises with it."""
    if excess == 0:
        return 0.0
    return math.copysign(math.sqrt(n), excess) / math.hypot(1, math.sqrt(rest / n) / abs(excess))


def log_mixture(ways: Floats, n: int, total: int) -> Floats:
    at_delta = (total / 2 - 1) * math.log(2) + math.lgamma(total / 2)
    ratios = log_integral(total, np.multiply.outer(ways, GRID)) - at_delta - n * GRID**2 / 2
    mixed: Floats = np.logaddexp.reduce(LOG_WEIGHTS + ratios, axis=-1)
    return mixed


def log_integral(total: int, tilt: Floats) -> Floats:
    """The log of the integral over v > 0 of v^(total - 1) exp(-v^2 / 2 + tilt v), whose logarithm
    is concave: Gauss and Legendre's rule over where it is more than e^-DROP of its peak."""
    power = total - 1
    root = np.sqrt(tilt**2 + 4 * power)
    tiny = np.finfo(np.float64).tiny
    peak = np.where(tilt > 0, (tilt + root) / 2, 2 * power / np.maximum(root - tilt, tiny))
    normal = math.sqrt(2 * DROP)
    left = np.minimum(peak, normal * peak / np.sqrt(np.maximum(peak**2 + power, tiny)))
    if power:
        # x - log(1 + x), by which the power falls at peak (1 + x), is at least x^2 / 2 (1 + x).
        c = DROP / power
        right = np.minimum(normal, peak * (c + math.sqrt(c * c + 2 * c)))
    else:
        down = np.maximum(-tilt, 0)
        right = 2 * DROP / (np.sqrt(down**2 + 2 * DROP) + down)
    half = (left + right) / 2
    v = (peak - left + half)[..., None] + half[..., None] * NODES
    logs = -(v**2) / 2 + tilt[..., None] * v
    if power:
        logs += power * np.log(v)
    top = logs.max(axis=-1)
    area = np.exp(logs - top[..., None]) @ NODE_WEIGHTS
    integral: Floats = top + np.log(area * half)
    return integral
