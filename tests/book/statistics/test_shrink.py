"""What winners show when they are measured again."""

import numpy as np
import pytest

from warpbook.book.statistics.shrink import expected_again


def test_the_best_of_many_is_quoted_nearer_to_what_it_is():
    """Campaigns of 15 effects: the winner's estimate is too high on average, what is expected again
    is not, and its interval covers."""
    rng = np.random.default_rng(6)
    as_found, again, covered = [], [], []
    for _ in range(400):
        effects = rng.normal(0.05, 0.02, 15)
        errors = rng.uniform(0.01, 0.03, 15)
        estimates = effects + errors * rng.normal(size=15)
        best = int(np.argmax(estimates))
        value, low, high = expected_again(estimates[best], errors[best], estimates, errors)
        as_found.append(estimates[best] - effects[best])
        again.append(value - effects[best])
        covered.append(low <= effects[best] <= high)
    assert np.mean(as_found) > 0.015
    assert abs(np.mean(again)) < 0.005
    assert np.mean(covered) > 0.9


def test_effects_that_differ_by_far_more_than_their_errors_are_left_alone():
    estimates, errors = [0.1, 0.5, -0.3, 0.9, 0.2], [0.001] * 5
    assert expected_again(0.9, 0.001, estimates, errors)[0] == pytest.approx(0.9, abs=1e-4)


def test_effects_that_differ_by_no_more_than_their_errors_are_pulled_to_their_mean():
    estimates = [0.04, 0.05, 0.06, 0.05, 0.05, 0.04, 0.06, 0.05]
    value, low, high = expected_again(0.06, 0.05, estimates, [0.05] * 8)
    assert value == pytest.approx(0.05 + 2 / 7 * 0.01)
    assert low < value < high


@pytest.mark.parametrize("others", [[], [0.1], [0.1, 0.2]])
def test_three_or_fewer_estimates_tell_no_spread(others):
    estimates = [0.3, *others]
    value, low, high = expected_again(0.3, 0.01, estimates, [0.01] * len(estimates))
    assert (value, low, high) == pytest.approx((0.3, 0.3 - 0.0196, 0.3 + 0.0196), abs=1e-5)


def test_exact_and_equal_estimates_are_no_trouble():
    assert expected_again(0.1, 0.0, [0.1] * 5, [0.0] * 5) == (0.1, 0.1, 0.1)
    assert expected_again(0.1, 0.01, [0.1] * 5, [0.01] * 5)[0] == pytest.approx(0.1)
