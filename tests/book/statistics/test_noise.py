"""The spread between runs of A against A."""

import pytest

from warpbook.book.statistics.noise import NONE_YET, noise_of


def test_noise_is_about_zero_not_about_the_mean():
    assert noise_of([0.02] * 8).sigma == pytest.approx(0.02)


def test_eight_runs_are_enough():
    assert not noise_of([0.01] * 7).enough
    assert noise_of([0.01] * 8).enough


def test_the_basis_says_how_many_runs_there_are():
    assert NONE_YET.basis == "t-based: 0 of 8 A-against-A runs"
    assert noise_of([0.01] * 3).basis == "t-based: 3 of 8 A-against-A runs"
    assert noise_of([0.01] * 12).basis == "noise of 12 A-against-A runs"
