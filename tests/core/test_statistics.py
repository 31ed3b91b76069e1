"""Medians, ratios and answers from samples whose truth is known because the test made them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.core.comparison import Answer
from warpbook.core.statistics import (
    BLOCKS,
    LEAST_BLOCKS,
    answer,
    half_width,
    median_rank,
    noise_floor,
    ratio_interval,
    settled,
    signed_rank_rank,
    summarise,
)

QUIET = {"outliers": 0.0, "drift": 0.0, "memory": 0.0}
NOISES = {
    "quiet": QUIET,
    "interrupted": {"outliers": 0.05, "drift": 0.1, "memory": 0.3},
    "drifting": {"outliers": 0.05, "drift": 0.3, "memory": 0.7},
    "waving": {"outliers": 0.05, "drift": 0.0, "memory": 0.3, "wave": 0.05},
    "often interrupted": {"outliers": 0.1, "drift": 0.1, "memory": 0.3},
}


def rounds(rng, blocks, spread, ratio=1.0, outliers=0.05, drift=0.1, memory=0.3, wave=0.0):
    """Rounds of two arms in the order A B B A: log-normal, correlated with the round before,
    drifting, and now and then 1.5 to 5 times too long."""
    n = 4 * blocks
    error = rng.normal(size=n)
    for i in range(1, n):
        error[i] = memory * error[i - 1] + math.sqrt(1 - memory**2) * error[i]
    logs = spread * error + drift * np.linspace(0, 1, n)
    logs += wave * np.sin(np.linspace(0, 2 * np.pi * rng.uniform(1, 4), n) + rng.uniform(0, 6))
    late = rng.random(n) < outliers
    logs[late] += np.log(rng.uniform(1.5, 5, late.sum()))
    logs = logs.reshape(blocks, 4)
    a, b = logs[:, [0, 3]].ravel(), logs[:, [1, 2]].ravel() + math.log(ratio)
    return list(300 * np.exp(a)), list(300 * np.exp(b))


def asked(rng, device, spread, ratio, offset, **noise):
    """One comparison as the judge makes it, between two processes that differ by `offset`."""
    least, most = BLOCKS[device]
    ratio *= math.exp(offset * rng.normal())
    a, b = rounds(rng, most, spread, ratio, **noise)
    blocks = least
    while not settled(a[: 2 * blocks], b[: 2 * blocks], device):
        blocks += 1
    a, b = a[: 2 * blocks], b[: 2 * blocks]
    return answer(*ratio_interval(a, b), noise_floor(a, b, device))


def test_a_summary_holds_the_median_its_quantiles_and_every_sample():
    timing = summarise([5.0, 1.0, 2.0, 4.0, 3.0, 6.0])
    assert timing.median_us == 3.5
    assert (timing.p20_us, timing.p80_us) == (2.0, 5.0)
    assert (timing.low_us, timing.high_us) == (1.0, 6.0)
    assert timing.samples_us == (5.0, 1.0, 2.0, 4.0, 3.0, 6.0)


def test_nothing_to_summarise_is_an_error():
    with pytest.raises(ValueError, match="no samples"):
        summarise([])


def test_ranks_agree_with_published_tables():
    # Binomial and Wilcoxon signed-rank tables, 0-based: how many are left out at each end.
    assert [median_rank(n, 0.95) for n in (5, 6, 10, 25, 100)] == [0, 0, 1, 7, 39]
    assert [signed_rank_rank(n, 0.99) for n in (8, 10, 12, 20)] == [0, 3, 7, 37]
    assert median_rank(3000, 0.95) == 1445


@pytest.mark.parametrize("n", [6, 15, 60])
def test_the_interval_of_the_median_covers_the_median(n):
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(1000):
        timing = summarise(list(rng.lognormal(0, 0.5, n)))
        hits += timing.low_us <= 1.0 <= timing.high_us
    assert hits >= 930


def test_few_samples_are_never_narrow_enough_to_stop():
    assert half_width(summarise([100.0] * 5)) == math.inf
    assert half_width(summarise([100.0] * 6)) == 0.0
    assert half_width(summarise([98.0, 99.0, 100.0, 100.0, 101.0, 102.0])) == pytest.approx(0.02)


@settings(deadline=None)
@given(st.floats(0.2, 5.0), st.integers(LEAST_BLOCKS, 20))
def test_a_ratio_without_noise_is_found_exactly(ratio, blocks):
    a = [100.0 + i for i in range(2 * blocks)]
    found, low, high = ratio_interval(a, [ratio * us for us in a])
    assert found == pytest.approx(ratio)
    assert low == pytest.approx(ratio)
    assert high == pytest.approx(ratio)


def test_a_steady_drift_cancels_within_a_block():
    steps = np.exp(np.linspace(0, 0.5, 40)).reshape(10, 4)
    ratio, _, _ = ratio_interval(list(steps[:, [0, 3]].ravel()), list(steps[:, [1, 2]].ravel()))
    assert ratio == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("blocks", [8, 12, 40])
def test_the_99_percent_interval_covers_the_true_ratio(noise, blocks):
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        a, b = rounds(rng, blocks, 0.05, ratio=1.2, **NOISES[noise])
        _, low, high = ratio_interval(a, b)
        hits += low <= 1.2 <= high
    assert hits >= 0.97 * 400


def test_swapping_the_arms_inverts_the_interval():
    a, b = rounds(np.random.default_rng(5), 12, 0.05, ratio=1.3)
    ratio, low, high = ratio_interval(a, b)
    inverted = ratio_interval(b, a)
    assert inverted == pytest.approx((1 / ratio, 1 / high, 1 / low), rel=0.02)


def test_one_long_interruption_hardly_moves_the_interval():
    a, b = rounds(np.random.default_rng(6), 12, 0.03, **QUIET)
    plain = ratio_interval(a, b)
    a[7] *= 40
    assert ratio_interval(a, b) == pytest.approx(plain, rel=0.03)


@pytest.mark.parametrize(
    ("a", "b"), [([1.0] * 16, [1.0] * 18), ([1.0] * 17, [1.0] * 17), ([1.0] * 14, [1.0] * 14)]
)
def test_rounds_that_are_no_blocks_are_refused(a, b):
    with pytest.raises(ValueError, match="blocks"):
        ratio_interval(a, b)


@pytest.mark.parametrize(
    ("ratio", "low", "high", "noise", "expected"),
    [
        (1.10, 1.06, 1.14, 0.03, Answer.SLOWER),
        (0.90, 0.86, 0.94, 0.03, Answer.FASTER),
        (1.10, 0.99, 1.22, 0.03, Answer.CANNOT_TELL),
        (1.10, 1.06, 1.14, 0.12, Answer.CANNOT_TELL),
        (0.90, 0.88, 0.92, 0.12, Answer.CANNOT_TELL),
        (1.00, 1.00, 1.00, 0.00, Answer.CANNOT_TELL),
    ],
)
def test_an_answer_needs_a_clear_interval_and_an_effect_beyond_the_noise(
    ratio, low, high, noise, expected
):
    assert answer(ratio, low, high, noise) is expected


def test_the_noise_floor_grows_with_the_noise_and_not_with_the_difference():
    quiet = noise_floor(*rounds(np.random.default_rng(7), 20, 0.01, **QUIET), "cpu")
    noisy = noise_floor(*rounds(np.random.default_rng(7), 20, 0.08, **QUIET), "cpu")
    slower = noise_floor(*rounds(np.random.default_rng(7), 20, 0.01, ratio=2.0, **QUIET), "cpu")
    assert quiet < noisy
    assert slower == pytest.approx(quiet)


# The spreads are those seen between rounds, the offset that seen between two fresh processes.
MACHINES = {"cpu": (0.05, 0.012, 1.10), "cuda": (0.01, 0.002, 1.03)}


@pytest.mark.parametrize("device", MACHINES)
def test_a_rung_against_itself_is_rarely_called_faster_or_slower(device):
    spread, offset, _ = MACHINES[device]
    rng = np.random.default_rng(13)
    called = [asked(rng, device, spread, 1.0, offset) for _ in range(200)]
    assert len(called) - called.count(Answer.CANNOT_TELL) <= 6


@pytest.mark.parametrize("device", MACHINES)
def test_a_rung_that_is_a_little_slower_is_called_slower_and_never_faster(device):
    spread, offset, ratio = MACHINES[device]
    rng = np.random.default_rng(17)
    called = [asked(rng, device, spread, ratio, offset) for _ in range(50)]
    assert called.count(Answer.SLOWER) >= 45
    assert called.count(Answer.FASTER) == 0
