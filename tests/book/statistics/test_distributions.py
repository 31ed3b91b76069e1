"""Quantiles and chances against tables and closed forms."""

import math

import numpy as np
import pytest

from warpbook.book.statistics.distributions import normal_cdf, t_cdf, t_quantile


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (7, 2.3646), (10, 2.2281), (60, 2.0003)],
)
def test_quantiles_of_t_are_those_of_the_tables(freedom, expected):
    assert t_quantile(0.975, freedom) == pytest.approx(expected, abs=6e-5)


def test_t_becomes_the_normal_with_many_degrees():
    assert t_quantile(0.975, 20_000) == pytest.approx(1.95996, abs=2e-4)


def test_one_and_two_degrees_have_closed_forms():
    for t in (0.0, 0.3, 5.0, 1e6):
        assert t_cdf(t, 1) == pytest.approx(0.5 + math.atan(t) / math.pi, abs=1e-14)
        assert t_cdf(t, 2) == pytest.approx(0.5 + t / (2 * math.sqrt(2 + t * t)), abs=1e-14)


@pytest.mark.parametrize(("chance", "freedom"), [(0.4, 3), (1.0, 3), (0.9, 0)])
def test_a_quantile_that_does_not_exist_is_refused(chance, freedom):
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(chance, freedom)


def test_the_normal_keeps_its_shape_and_its_tails():
    chances = normal_cdf(np.array([[0.0, 1.959964], [-30.0, np.inf]]))
    assert chances.shape == (2, 2)
    assert chances[0] == pytest.approx([0.5, 0.975], abs=1e-7)
    assert 0 < chances[1, 0] < 1e-190
    assert chances[1, 1] == 1
