"""Verdicts: which hypotheses of a campaign its data support and refute, and how many runs the
others need.

e-BH: of K hypotheses, the k with the largest e-values are picked if the least of them reaches
K / (alpha k), for the largest such k. The expected share of false ones is then at most alpha,
however the e-values depend on each other. Supported and refuted are picked each for itself.

Knows log e-values and counts of runs, not where they came from.
"""

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warpbook.book.statistics.distributions import Floats
from warpbook.book.statistics.evidence import GRID, LOG_WEIGHTS

ALPHA = 0.05
LEAST_RUNS = 3
FAR_RUNS = 200
# Looked at when asking how many more runs; between them the log e-value is taken as straight.
STEPS = np.unique(np.round(np.geomspace(1, FAR_RUNS, 18)))


class Verdict(StrEnum):
    SUPPORTED = "supported"
    REFUTED = "refuted"
    OPEN = "open"


def ebh(log_e: ArrayLike, alpha: float = ALPHA) -> NDArray[np.bool_]:
    """Which are picked. Those that may not be yet belong in the list with -inf: they count."""
    values = np.asarray(log_e, dtype=np.float64)
    if not values.size:
        return np.zeros(0, dtype=np.bool_)
    ordered = -np.sort(-values)
    reach = math.log(values.size / alpha) - np.log(np.arange(1, values.size + 1))
    passing = np.flatnonzero(ordered >= reach)
    if not passing.size:
        return np.zeros(values.size, dtype=np.bool_)
    picked: NDArray[np.bool_] = values >= ordered[passing[-1]]
    return picked


def verdicts(
    log_support: ArrayLike, log_refute: ArrayLike, runs: ArrayLike, alpha: float = ALPHA
) -> list[Verdict]:
    """Over all hypotheses of one campaign, those without runs too."""
    ready = np.asarray(runs) >= LEAST_RUNS
    supported = ebh(np.where(ready, log_support, -np.inf), alpha)
    refuted = ebh(np.where(ready, log_refute, -np.inf), alpha)
    return [verdict(*pair) for pair in zip(supported.tolist(), refuted.tolist(), strict=True)]


def verdict(supported: bool, refuted: bool) -> Verdict:
    if supported == refuted:
        return Verdict.OPEN
    return Verdict.SUPPORTED if supported else Verdict.REFUTED


def log_threshold(hypotheses: int, picked: int, alpha: float = ALPHA) -> float:
    """What the next log e-value must reach in a campaign where so many are picked already."""
    return math.log(hypotheses / (alpha * min(picked + 1, hypotheses)))


def runs_to_decide(
    excess: ArrayLike, sigma: ArrayLike, n: ArrayLike, noise_runs: ArrayLike, threshold: ArrayLike
) -> Floats:
    """About how many more runs each hypothesis needs, should they show what was seen so far, or
    what is expected: an effect `excess` beyond delta (negative: short of it) and the spread sigma.
    At least 1, and up to the least number of runs; inf where 200 would not do. `noise_runs` is 0
    until there are enough; `threshold` is the log e-value needed. All broadcast to one dimension.
    """
    arrays = [np.atleast_1d(np.asarray(v, np.float64)) for v in (excess, sigma, n, noise_runs)]
    excess, sigma, n, more, reach = np.broadcast_arrays(*arrays, np.asarray(threshold, np.float64))
    runs = n[:, None] + STEPS  # [hypothesis, step]
    logs = planned_log_e(np.abs(excess)[:, None], sigma[:, None], runs, runs + more[:, None])
    passed = (logs >= reach[:, None]) & (runs >= LEAST_RUNS)
    first = np.argmax(passed, axis=1)
    row = np.arange(len(first))
    before = np.maximum(first - 1, 0)
    climb = logs[row, first] - logs[row, before]
    part = np.where(climb > 0, (reach - logs[row, before]) / np.where(climb > 0, climb, 1), 1)
    steps = STEPS[before] + np.clip(part, 0, 1) * (STEPS[first] - STEPS[before])
    needed = np.maximum(np.ceil(steps - 1e-9), np.maximum(LEAST_RUNS - n, 1))
    found: Floats = np.where(passed.any(axis=1), needed, np.inf)
    return found


def planned_log_e(excess: Floats, sigma: Floats, n: Floats, total: Floats) -> Floats:
    """The log e-value that n runs would have if they came out just so. Laplace's approximation in
    place of the integral: within a tenth from 3 runs on, and a thousand hypotheses take
    milliseconds."""
    rest = sigma**2 * np.maximum(total - 1, 0)
    size = np.sqrt(n * excess**2 + rest)
    tilt = (n * excess / np.where(size > 0, size, 1))[..., None] * GRID
    power = np.maximum(total[..., None] - 1, 1)
    peak = (tilt + np.sqrt(tilt**2 + 4 * power)) / 2
    still = np.sqrt(power)  # the peak without a tilt
    ratio = power * np.log(peak / still) - (peak**2 - still**2) / 2 + tilt * peak
    width = -np.log((1 + power / peak**2) / 2) / 2
    terms = LOG_WEIGHTS + ratio + width - n[..., None] * GRID**2 / 2
    planned: Floats = np.logaddexp.reduce(terms, axis=-1)
    return planned


def whole_runs(runs: Sequence[float]) -> list[int | None]:
    """For people and JSON: None where 200 runs would not do."""
    return [int(count) if math.isfinite(count) else None for count in runs]
