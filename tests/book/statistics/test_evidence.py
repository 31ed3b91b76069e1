"""E-values against brute force, and under the claims they speak against."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.book.statistics.evidence import (
    GRID,
    LOG_WEIGHTS,
    combine_guards,
    evidence,
    log_integral,
    log_mixture,
)
from warpbook.book.statistics.noise import NONE_YET, Noise, noise_of
from warpbook.book.statistics.verdict import log_threshold

NO_ERRORS = [0.0] * 400


def brute_force(runs, again):
    """The mixture of likelihood ratios, sigma integrated out on a fine grid of its logarithm."""
    runs, again = np.array(runs), np.array(again)
    log_sigma = np.linspace(-30, 30, 60_001)
    sigma = np.exp(log_sigma)

    def log_likelihood(d):
        squares = ((runs[:, None] / sigma - d) ** 2).sum(axis=0)
        squares = squares + ((again[:, None] / sigma) ** 2).sum(axis=0)
        return np.logaddexp.reduce(-squares / 2 - (len(runs) + len(again)) * log_sigma)

    ratios = [log_likelihood(d) - log_likelihood(0) for d in GRID]
    return np.logaddexp.reduce(LOG_WEIGHTS + ratios)


def stream(rng, shift, sigma, repeats, runs, again=0):
    """The log e-values for support of many hypotheses after each run. [run, repeat]"""
    x = rng.normal(shift, 1, size=(repeats, runs)) * sigma
    squares = (rng.normal(size=(repeats, again)) ** 2).sum(axis=1) * sigma**2
    logs = []
    for n in range(1, runs + 1):
        ways = x[:, :n].sum(axis=1) / np.sqrt((x[:, :n] ** 2).sum(axis=1) + squares)
        logs.append(from_table(ways, n, n + again))
    return np.array(logs)


def from_table(ways, n, total):
    """The log e-values, between two thousand that were computed: many repeats are quick then. In
    the angle, since they are steep where all runs are equal."""
    angles = np.linspace(-math.pi / 2, math.pi / 2, 2001)
    table = log_mixture(math.sqrt(n) * np.sin(angles), n, total)
    return np.interp(np.arcsin(np.clip(ways / math.sqrt(n), -1, 1)), angles, table)


def at_most(mean, values):
    """Whether the mean of the values may be this, up to 4 times its error."""
    return values.mean() <= mean + 4 * values.std() / math.sqrt(len(values))


@pytest.mark.parametrize("again", [[], [0.3, -1.1, 0.9, 0.2, -0.4, 1.3, -0.8, 0.1]])
@pytest.mark.parametrize(
    "runs", [[0.7], [-0.7], [2.0, 2.3, 1.8], [-2.0, -2.3, -1.8], [40.0, 41.0, 39.5], [1.0, -1.1]]
)
def test_the_e_value_is_the_integral_over_sigma(runs, again):
    delta = 0.5
    seen = evidence([delta + x for x in runs], NO_ERRORS[: len(runs)], delta, noise_of(again))
    assert seen.log_support == pytest.approx(brute_force(runs, again), abs=1e-6)
    assert seen.log_refute == pytest.approx(brute_force([-x for x in runs], again), abs=1e-6)


@pytest.mark.parametrize("tilt", [-2000.0, -30.0, -1.0, 0.0, 0.5, 20.0, 2000.0])
def test_the_integral_of_one_run_is_the_normal_s(tilt):
    down = math.sqrt(math.pi / 2) * math.erfc(-tilt / math.sqrt(2)) if -30 < tilt < 30 else None
    if tilt >= 30:
        expected = tilt**2 / 2 + math.log(2 * math.pi) / 2
    elif down is None:
        expected = -math.log(-tilt) + math.log1p(-1 / tilt**2 + 3 / tilt**4 - 15 / tilt**6)
    else:
        expected = tilt**2 / 2 + math.log(down)
    assert float(log_integral(1, np.array(tilt))) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("tilt", [-900.0, -3.0, 0.0, 4.0, 2000.0])
@pytest.mark.parametrize("total", [1, 2, 3, 10, 150, 900])
def test_the_integral_obeys_its_recurrence(total, tilt):
    """By parts: I(N + 2) = tilt I(N + 1) + N I(N). Written without a difference."""
    first, second, third = (float(log_integral(total + k, np.array(tilt))) for k in (0, 1, 2))
    if tilt >= 0:
        parts = tilt * math.exp(second - third) + total * math.exp(first - third)
        assert parts == pytest.approx(1, rel=1e-9)
    else:
        whole = math.exp(third - first) - tilt * math.exp(second - first)
        assert whole == pytest.approx(total, rel=1e-9)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=300),
    st.floats(-1, 1),
    st.sampled_from([NONE_YET, Noise(0.01, 8), Noise(0.0, 20), Noise(1e-9, 100)]),
)
def test_any_runs_give_finite_evidence(runs, delta, noise):
    seen = evidence(runs, [0.0] * len(runs), delta, noise)
    assert math.isfinite(seen.log_support)
    assert math.isfinite(seen.log_refute)
    assert math.isfinite(seen.sigma)
    assert min(seen.log_support, seen.log_refute) < 0.01


def test_runs_that_are_all_equal_are_no_proof():
    seen = evidence([0.4] * 3, [0.0] * 3, 0.03)
    assert math.log(100) < seen.log_support < math.log(1e5)
    assert evidence([0.03] * 3, [0.0] * 3, 0.03).log_support < 0


def test_an_effect_a_million_times_the_spread_stays_finite():
    for n in (2, 3, 30, 300):
        runs = [1e6 + (-1) ** k for k in range(n)]
        assert 0 < evidence(runs, [0.0] * n, 0.0).log_support < 20 * n


def test_neither_the_unit_nor_the_order_of_runs_matters():
    runs, errors = [0.05, 0.021, 0.037], [0.001, 0.002, 0.0]
    plain = evidence(runs, errors, 0.03).log_support
    other = evidence([1e9 * x for x in runs[::-1]], [1e9 * e for e in errors[::-1]], 3e7)
    assert other.log_support == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("shift", [0.0, -0.3, -2.0])
@pytest.mark.parametrize("again", [0, 8])
def test_under_the_claim_it_speaks_against_an_e_value_is_at_most_1_on_average(shift, again):
    logs = stream(np.random.default_rng(1), shift, 0.01, 20_000, 6, again)
    for after_run in np.exp(logs):
        assert at_most(1.0, after_run)


@pytest.mark.parametrize("again", [0, 8])
def test_stopping_when_it_looks_best_is_harmless(again):
    logs = stream(np.random.default_rng(2), 0.0, 0.01, 4000, 30, again)
    passed = logs >= math.log(20)
    stop = np.where(passed.any(axis=0), passed.argmax(axis=0), len(logs) - 1)
    assert at_most(1.0, np.exp(logs[stop, np.arange(logs.shape[1])]))
    assert at_most(1 / 20, passed.any(axis=0))
    assert passed.any(axis=0).mean() > 0.001


def test_noise_that_becomes_known_on_the_way_is_harmless():
    """The largest of all looks, before 8 runs of A against A and after."""
    rng = np.random.default_rng(3)
    x, squares = rng.normal(size=(4000, 12)), (rng.normal(size=(4000, 8)) ** 2).sum(axis=1)
    best = np.full(4000, -np.inf)
    for n in range(1, 13):
        again = 8 if n > 5 else 0
        size = np.sqrt((x[:, :n] ** 2).sum(axis=1) + squares * (again > 0))
        best = np.maximum(best, from_table(x[:, :n].sum(axis=1) / size, n, n + again))
    assert at_most(1 / 20, best >= math.log(20))


@pytest.mark.parametrize("seed", range(20))
def test_three_clear_runs_decide_in_a_campaign_of_ten(seed):
    rng = np.random.default_rng(seed)
    runs = (math.log(1.5) + 0.005 * rng.normal(size=3)).tolist()
    seen = evidence(runs, [0.001] * 3, math.log(1.03))
    assert seen.log_support >= log_threshold(10, 0)


def test_known_noise_decides_what_three_runs_alone_cannot():
    runs = [0.048, 0.055, 0.051]
    alone = evidence(runs, [0.001] * 3, 0.03).log_support
    known = evidence(runs, [0.001] * 3, 0.03, noise_of([0.004, -0.003] * 6)).log_support
    assert known > log_threshold(10, 0) > alone


def test_seven_runs_of_a_against_a_change_nothing():
    runs = [0.048, 0.055, 0.051]
    few = evidence(runs, [0.001] * 3, 0.03, noise_of([0.2] * 7))
    assert few.log_support == evidence(runs, [0.001] * 3, 0.03).log_support
    assert few.basis == "t-based: 7 of 8 A-against-A runs"


@pytest.mark.parametrize("noise", [NONE_YET, Noise(0.0001, 12)])
def test_agreement_beyond_the_error_within_runs_is_taken_for_luck(noise):
    runs = [0.0501, 0.05, 0.0499]
    quiet = evidence(runs, [0.0] * 3, 0.03, noise)
    loud = evidence(runs, [0.01] * 3, 0.03, noise)
    assert loud.log_support < quiet.log_support
    assert loud.log_refute <= quiet.log_refute
    assert loud.sigma >= 0.01
    assert loud.high - loud.low > quiet.high - quiet.low


def test_the_interval_is_student_s():
    seen = evidence([1.0, 2.0, 3.0], [0.0] * 3, 0.0)
    assert (seen.low, seen.high) == pytest.approx((-0.4841, 4.4841), abs=1e-4)


def test_one_run_has_no_interval_until_the_noise_is_known():
    alone = evidence([0.1], [0.001], 0.03)
    assert (alone.estimate, alone.low, alone.high) == (0.1, None, None)
    assert alone.sigma == pytest.approx(0.01)
    known = evidence([0.1], [0.001], 0.03, Noise(0.01, 8))
    assert known.high - known.low == pytest.approx(2 * 2.306 * 0.01, abs=1e-5)


def test_no_runs_say_nothing():
    seen = evidence([], [], 0.03, Noise(0.005, 8))
    assert (seen.log_support, seen.log_refute, seen.n, seen.estimate) == (0, 0, 0, None)
    assert seen.sigma == 0.005


@pytest.mark.parametrize(
    ("runs", "errors"), [([0.1], []), ([math.nan], [0.0]), ([0.1], [math.inf])]
)
def test_what_is_no_number_is_refused(runs, errors):
    with pytest.raises(ValueError, match="finite"):
        evidence(runs, errors, 0.03)


def test_a_guard_that_is_not_shown_to_hold_keeps_a_hypothesis_from_being_supported():
    effect = evidence([0.3, 0.31, 0.3], [0.001] * 3, 0.03, Noise(0.005, 12))
    held = evidence([0.0, 0.1, -0.1], [0.01] * 3, -1.0, Noise(0.1, 12))
    unclear = evidence([-0.9, -1.1, -1.0], [0.01] * 3, -1.0, Noise(0.1, 12))
    assert combine_guards(effect, [held])[0] > log_threshold(10, 0)
    assert combine_guards(effect, [held, unclear])[0] == unclear.log_support < 0


def test_a_broken_guard_refutes_whatever_the_effect():
    effect = evidence([0.3, 0.31, 0.3], [0.001] * 3, 0.03, Noise(0.005, 12))
    broken = evidence([-3.0, -3.1, -2.9], [0.01] * 3, -1.0, Noise(0.1, 12))
    support, refute = combine_guards(effect, [broken])
    assert support < 0
    assert refute == pytest.approx(broken.log_refute - math.log(2), abs=1e-6)


def test_without_guards_the_effect_speaks_for_itself():
    effect = evidence([0.3, 0.31, 0.3], [0.001] * 3, 0.03)
    assert combine_guards(effect, []) == pytest.approx((effect.log_support, effect.log_refute))
