"""Which hypotheses of a campaign are decided, and how far the others are."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.book.statistics.evidence import evidence
from warpbook.book.statistics.noise import NONE_YET, Noise
from warpbook.book.statistics.verdict import (
    Verdict,
    ebh,
    log_threshold,
    runs_to_decide,
    verdicts,
    whole_runs,
)

SUPPORTED, REFUTED, OPEN = Verdict.SUPPORTED, Verdict.REFUTED, Verdict.OPEN


def needed(excess, sigma=0.01, n=0, noise_runs=0):
    return whole_runs(runs_to_decide(excess, sigma, n, noise_runs, math.log(200)))


def just_so(excess, sigma, n):
    """n runs with exactly this mean beyond 0.03 and this spread."""
    about = np.arange(n) - (n - 1) / 2
    return (0.03 + excess + sigma * about / about.std(ddof=1)).tolist()


@settings(deadline=None)
@given(st.lists(st.floats(-5, 15), max_size=30), st.floats(0.01, 0.5))
def test_e_bh_picks_the_largest_set_that_holds_itself_up(log_e, alpha):
    sizes = [
        k
        for k in range(1, len(log_e) + 1)
        if sorted(log_e, reverse=True)[k - 1] >= math.log(len(log_e) / alpha) - math.log(k)
    ]
    picked = ebh(log_e, alpha)
    assert picked.sum() == max(sizes, default=0)
    if 0 < picked.sum() < len(log_e):
        assert min(np.array(log_e)[picked]) > max(np.array(log_e)[~picked])


def test_company_lowers_the_bar():
    alone = [math.log(70), *[0.0] * 9]
    three = [math.log(70)] * 3 + [0.0] * 7
    assert not ebh(alone).any()
    assert ebh(three).tolist() == [True] * 3 + [False] * 7


def test_two_valid_runs_decide_nothing():
    assert verdicts([50, 50], [-5, -5], [2, 3]) == [OPEN, SUPPORTED]


def test_supported_and_refuted_are_families_of_their_own():
    assert verdicts([9, -9, 0], [-9, 9, 0], [3, 3, 0]) == [SUPPORTED, REFUTED, OPEN]
    assert verdicts([9], [9], [3]) == [OPEN]


def test_a_campaign_that_grows_may_take_a_verdict_back():
    value = math.log(25)
    assert verdicts([value], [0], [3]) == [SUPPORTED]
    assert verdicts([value, 0], [0, 0], [3, 0]) == [OPEN, OPEN]


def test_an_empty_campaign_has_no_verdicts():
    assert verdicts([], [], []) == []


def test_the_threshold_is_the_one_e_bh_uses():
    reach = log_threshold(10, 2)
    others = [20.0, 20.0, *[0.0] * 7]
    assert ebh([reach + 1e-9, *others]).sum() == 3
    assert ebh([reach - 1e-9, *others]).sum() == 2
    assert log_threshold(1, 1) == pytest.approx(math.log(20))


@pytest.mark.parametrize("noise", [NONE_YET, Noise(0.01, 12)])
@pytest.mark.parametrize("excess", [0.2, 0.02, 0.01, -0.01, -0.05])
@pytest.mark.parametrize("n", [0, 3, 6])
def test_as_many_runs_as_were_foreseen_decide(excess, n, noise):
    """Runs that come out as expected pass the bar within a run or a fifth of what was said."""
    more = noise.runs if noise.enough else 0
    (said,) = needed(excess, 0.01, n, more)
    assert said is not None
    passed = None
    for total in range(max(n + 1, 3), 200):
        seen = evidence(just_so(excess, 0.01, total), [0.0] * total, 0.03, noise)
        if max(seen.log_support, seen.log_refute) >= math.log(200):
            passed = total - n
            break
    assert said == pytest.approx(passed, abs=1, rel=0.2)


def test_no_verdict_is_foreseen_before_three_runs():
    assert needed(5.0, n=0, noise_runs=50) == [3]
    assert needed(5.0, n=1, noise_runs=50) == [2]
    assert needed(5.0, n=5, noise_runs=50) == [1]


def test_what_is_too_close_to_the_least_effect_is_not_foreseen():
    assert needed([0.0005, 0.0, -0.0005]) == [None, None, None]


def test_many_hypotheses_are_foreseen_at_once_as_one_by_one():
    excess, n = np.linspace(-0.1, 0.1, 41), np.arange(41) % 7
    together = needed(excess, n=n)
    assert together == [needed(e, n=k)[0] for e, k in zip(excess, n, strict=True)]


def test_no_spread_at_all_is_no_trouble():
    assert needed([0.1, 0.0], sigma=0.0) == [3, None]
