"""What samples of a time say: a median with its interval, and whether one arm beats another.

Knows nothing of how the samples were taken beyond the order of the rounds. Does without
scipy.stats, whose import takes a second.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from warpbook.core.comparison import Answer
from warpbook.core.judgement import Timing

Floats = NDArray[np.float64]

# A 99% interval from signed ranks exists from 8 blocks on (2 / 2^8 < 1%).
LEAST_BLOCKS = 8
# At least and at most this many. On a GPU rounds differ by 0.7%, and 12 blocks tell 0.6% apart. On
# a CPU a round costs 0.12 s or more, nearly all of it the flush. In simulation 10 blocks settle a
# machine with 3% from round to round; on one with 5 to 10% nearly all 30 are used, 17 s.
BLOCKS = {"cpu": (10, 30), "cuda": (12, 64)}
# The half-width of the ratio's interval at which more blocks would not change the answer to the
# differences we promise to see: 10% on a CPU, 3% on a GPU.
RESOLUTION = {"cpu": 0.045, "cuda": 0.008}
# Two fresh processes running the same rung differ by their memory's place and the core they land
# on, and no number of rounds in those two processes can show it. Seen of like pairs: up to 0.2% on
# an H200, and up to 2.5% on two crowded cores.
BETWEEN_PROCESSES = {"cpu": 0.03, "cuda": 0.005}
# A round further than this from the rounds nearby is pulled in: one interrupt then costs a block
# no more than any other bad round does. Of the windows and edges tried (5 to 15 rounds, 3 and 4
# deviations, each arm alone or both together) these gave the narrowest intervals that still cover
# 98.5 to 99%; at 3 deviations they are a tenth narrower and cover 98%.
NEARBY_ROUNDS = 9
OUTLIER_DEVIATIONS = 4.0
MAD_TO_DEVIATION = 1.4826


def summarise(samples_us: Sequence[float]) -> Timing:
    """The interval of the median is distribution-free; under 6 samples the whole range is given,
    which covers less than 95%."""
    if not samples_us:
        raise ValueError("no samples to summarise")
    ordered = np.sort(np.asarray(samples_us, dtype=np.float64))
    p20, median, p80 = np.percentile(ordered, [20, 50, 80])
    rank = median_rank(len(ordered), 0.95)
    return Timing(
        median_us=float(median),
        p20_us=float(p20),
        p80_us=float(p80),
        low_us=float(ordered[rank]),
        high_us=float(ordered[-1 - rank]),
        samples_us=tuple(float(sample) for sample in samples_us),
    )


def half_width(timing: Timing) -> float:
    """Half the interval of the median, relative to the median; infinite under 6 samples."""
    if len(timing.samples_us) < 6:
        return math.inf
    return (timing.high_us - timing.low_us) / (2 * timing.median_us)


@lru_cache(maxsize=4096)
def median_rank(n: int, confidence: float) -> int:
    """How many samples to leave out at each end: the most for which the median still lies within
    the rest with this confidence. The count of samples below the median is binomial."""
    outside = 2**n * round((1 - confidence) / 2 * 1e6) // 10**6  # whole numbers: 2^1100 is no float
    total, rank = 0, 0
    while (total := total + math.comb(n, rank)) <= outside:
        rank += 1
    return max(rank - 1, 0)


def ratio_interval(
    a_us: Sequence[float], b_us: Sequence[float], confidence: float = 0.99
) -> tuple[float, float, float]:
    """B's time over A's, with its interval, from rounds taken in the order A B B A, so that rounds
    2k and 2k + 1 of both arms form block k and a steady drift cancels within it."""
    logs = arms(a_us, b_us)
    blocks = logs.reshape(2, -1, 2).mean(axis=2)  # [arm, block]
    middle, low, high = signed_rank(blocks[1] - blocks[0], confidence)
    return math.exp(middle), math.exp(low), math.exp(high)


def noise_floor(a_us: Sequence[float], b_us: Sequence[float], device: str) -> float:
    """The relative difference this machine may show for a rung against itself: what the same
    estimate gives within each arm (four rounds running, outer against inner), widened by what two
    processes differ by."""
    logs = arms(a_us, b_us)
    rounds = logs.shape[1] // 4 * 4
    fours = logs[:, :rounds].reshape(-1, 4)  # as many null blocks as there are real ones
    null = (fours[:, 1] + fours[:, 2] - fours[:, 0] - fours[:, 3]) / 2
    # The sign of a null block means nothing; with both signs the interval is centred on no change.
    _, low, high = signed_rank(np.concatenate([null, -null]), 0.99)
    within = (high - low) / 2 * math.sqrt(2)
    return math.expm1(math.hypot(within, math.log1p(BETWEEN_PROCESSES[device])))


def answer(ratio: float, low: float, high: float, noise: float) -> Answer:
    """Of B against A: only an interval clear of 1 and an effect beyond the noise is an answer."""
    if low <= 1 <= high or abs(math.log(ratio)) <= math.log1p(noise):
        return Answer.CANNOT_TELL
    return Answer.FASTER if ratio < 1 else Answer.SLOWER


def settled(a_us: Sequence[float], b_us: Sequence[float], device: str) -> bool:
    """Whether a comparison may stop here. Looks at widths alone, the interval's and the noise's,
    never at where the ratio lies, so that stopping does not choose the answer."""
    least, most = BLOCKS[device]
    blocks = len(a_us) // 2
    if blocks < least:
        return False
    if blocks >= most:
        return True
    ratio, low, high = ratio_interval(a_us, b_us)
    quiet = math.hypot(RESOLUTION[device], BETWEEN_PROCESSES[device])
    narrow = (high - low) / (2 * ratio) <= RESOLUTION[device]
    return narrow and noise_floor(a_us, b_us, device) <= quiet


def arms(a_us: Sequence[float], b_us: Sequence[float]) -> Floats:
    """The logs of both arms' rounds, outliers pulled in. [arm, round]"""
    if len(a_us) != len(b_us) or len(a_us) % 2 or len(a_us) < 2 * LEAST_BLOCKS:
        raise ValueError(
            f"{len(a_us)} and {len(b_us)} rounds: a comparison has two rounds an arm in each of "
            f"at least {LEAST_BLOCKS} blocks"
        )
    logs = np.log(np.array([a_us, b_us], dtype=np.float64))
    level = np.median(logs, axis=1, keepdims=True)
    (a, b) = (logs - level).reshape(2, -1, 2)
    in_time = np.stack([a[:, 0], b[:, 0], b[:, 1], a[:, 1]], axis=1)
    in_time = pull_in(in_time.ravel()).reshape(-1, 4)
    a, b = in_time[:, [0, 3]].ravel(), in_time[:, [1, 2]].ravel()
    return np.stack([a, b]) + level


def pull_in(rounds: Floats) -> Floats:
    """Outliers brought to the edge of what the rounds around them allow. Against the running
    median, so that a slow drift or a slow minute of the machine does not widen the edge."""
    around = np.pad(rounds, NEARBY_ROUNDS // 2, mode="reflect")
    middle = np.median(sliding_window_view(around, NEARBY_ROUNDS), axis=1)
    rest = rounds - middle
    edge = OUTLIER_DEVIATIONS * MAD_TO_DEVIATION * float(np.median(np.abs(rest)))
    pulled: Floats = middle + np.clip(rest, -edge, edge)
    return pulled


def signed_rank(values: Floats, confidence: float) -> tuple[float, float, float]:
    """Hodges and Lehmann's centre of symmetric values and its interval, from the signed-rank
    distribution: the median and two order statistics of the means of all pairs."""
    first, second = np.triu_indices(len(values))
    means = np.sort((values[first] + values[second]) / 2)
    rank = signed_rank_rank(len(values), confidence)
    return float(np.median(means)), float(means[rank]), float(means[-1 - rank])


@lru_cache(maxsize=1024)
def signed_rank_rank(n: int, confidence: float) -> int:
    """How many pair means to leave out at each end."""
    chance = np.ones(1)  # of each sum of positive ranks, under symmetry
    for rank in range(1, n + 1):
        with_rank = np.concatenate([np.zeros(rank), chance])
        chance = (np.pad(chance, (0, rank)) + with_rank) / 2
    below = np.cumsum(chance)
    return max(int(np.searchsorted(below, (1 - confidence) / 2, side="right")) - 1, 0)
