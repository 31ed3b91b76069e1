"""Belief against plain integration, and what one more run is expected to teach."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.book.statistics.belief import Prior, belief, entropy, expected_drops

PRIOR = Prior(0.1, 0.3, 0.4)
DELTA = 0.03


def by_integration(prior, delta, estimate, n, sigma):
    theta = np.linspace(-1, 1.5, 400_001)
    half = (prior.high - prior.low) / 2
    expected = NormalDist((prior.low + prior.high) / 2, prior.widen * half / 1.2815516)
    density = prior.weight * normal(theta, expected.mean, expected.stdev)
    density += (1 - prior.weight) * normal(theta, 0, delta / 2)
    if n:
        density *= normal(estimate, theta, sigma / math.sqrt(n))
    return density[theta >= delta].sum() / density.sum()


def normal(x, mean, spread):
    return np.exp(-(((x - mean) / spread) ** 2) / 2) / spread


def drop(prior, estimate=0.0, n=0, sigma=0.02, delta=DELTA):
    return float(expected_drops([prior], [delta], [estimate], [n], [sigma])[0])


@pytest.mark.parametrize("widen", [1.0, 2.5])
@pytest.mark.parametrize(("estimate", "n"), [(None, 0), (0.05, 1), (0.02, 4), (0.2, 2), (-0.1, 1)])
def test_belief_is_the_chance_of_at_least_delta(estimate, n, widen):
    prior = Prior(0.1, 0.3, 0.4, widen)
    expected = by_integration(prior, DELTA, estimate, n, 0.02)
    assert belief(prior, DELTA, estimate, n, 0.02) == pytest.approx(expected, abs=1e-4)


def test_without_runs_belief_is_about_the_author_s():
    assert belief(PRIOR, DELTA, None, 0, 0.01) == pytest.approx(0.4, abs=0.02)


def test_runs_overrule_a_sure_author():
    assert belief(Prior(0.2, 0.3, 0.99), DELTA, 0.0, 5, 0.005) < 0.01
    assert belief(Prior(0.2, 0.3, 0.01), DELTA, 0.1, 5, 0.005) > 0.99


@settings(deadline=None)
@given(
    st.floats(0, 1),
    st.floats(0, 0.1),
    st.floats(-10, 10),
    st.integers(0, 300),
    st.sampled_from([0.0, 1e-9, 0.01, 10.0]),
)
def test_belief_is_a_chance_whatever_was_seen(weight, delta, estimate, n, sigma):
    prior = Prior(0.1, 0.3, weight)
    assert 0 <= belief(prior, delta, estimate, n, sigma) <= 1
    assert 0 <= drop(prior, estimate, n, sigma, delta) <= 1


@pytest.mark.parametrize(
    ("prior", "estimate", "n", "sigma"),
    [
        (PRIOR, 0.0, 0, 0.05),
        (PRIOR, 0.04, 2, 0.03),
        (Prior(0.02, 0.08, 0.7), 0.03, 1, 0.02),
    ],
)
def test_the_expected_drop_is_the_mean_over_what_the_run_may_show(prior, estimate, n, sigma):
    rng = np.random.default_rng(4)
    theta = np.linspace(-0.5, 1, 3001)
    half = (prior.high - prior.low) / 2
    density = prior.weight * normal(theta, (prior.low + prior.high) / 2, half / 1.2815516)
    density += (1 - prior.weight) * normal(theta, 0, DELTA / 2)
    density *= normal(estimate, theta, sigma / math.sqrt(n)) if n else 1
    truths = rng.choice(theta, 4000, p=density / density.sum())
    runs = truths + sigma * rng.normal(size=4000)
    now = belief(prior, DELTA, estimate, n, sigma)
    later = [belief(prior, DELTA, (n * estimate + x) / (n + 1), n + 1, sigma) for x in runs]
    bits = entropy(np.array([now]))[0] - entropy(np.array(later))
    assert drop(prior, estimate, n, sigma) == pytest.approx(bits.mean(), abs=0.03)


def test_there_is_more_to_learn_where_belief_is_undecided():
    assert drop(Prior(0.1, 0.3, 0.5)) > drop(Prior(0.1, 0.3, 0.95)) > drop(Prior(0.1, 0.3, 1.0))


def test_a_noisy_run_teaches_less():
    assert drop(PRIOR, sigma=0.01) > drop(PRIOR, sigma=0.2) > drop(PRIOR, sigma=5.0)


def test_a_sure_belief_has_nothing_left_to_learn():
    assert drop(PRIOR, estimate=0.2, n=3, sigma=0.005) < 1e-6


def test_many_at_once_are_as_one_by_one():
    priors = [PRIOR, Prior(0.02, 0.05, 0.9, 2.0), Prior(-0.1, 0.1, 0.5)]
    together = expected_drops(priors, [0.03] * 3, [0.1, 0.0, 0.02], [1, 0, 5], [0.01, 0.02, 0.03])
    alone = [drop(priors[0], 0.1, 1, 0.01), drop(priors[1]), drop(priors[2], 0.02, 5, 0.03)]
    assert together == pytest.approx(alone)
    assert expected_drops([], [], [], [], []).size == 0


def test_entropy_of_a_coin_is_one_bit():
    assert entropy(np.array([0.0, 0.5, 1.0])).tolist() == [0, 1, 0]
