"""How predictions of 1.1 to 1.3 come out, in logs."""

import math

import pytest

from warpbook.book.statistics.prediction import Outcome, score

LOW, HIGH = math.log(1.1), math.log(1.3)


def come_out(factor, half=0.001):
    estimate = math.log(factor)
    return score(LOW, HIGH, estimate, estimate - half, estimate + half)


@pytest.mark.parametrize(
    ("factor", "outcome"),
    [(1.2, Outcome.HIT), (1.05, Outcome.OVER), (0.7, Outcome.OVER), (1.5, Outcome.UNDER)],
)
def test_the_estimate_decides(factor, outcome):
    assert come_out(factor).outcome is outcome


@pytest.mark.parametrize("factor", [1.099, 1.101, 1.299, 1.301])
def test_an_interval_across_a_bound_is_unclear(factor):
    assert come_out(factor, half=0.01).outcome is Outcome.UNCLEAR


def test_an_interval_wider_than_the_prediction_is_unclear():
    assert come_out(1.2, half=1.0).outcome is Outcome.UNCLEAR


def test_one_run_without_an_interval_is_unclear():
    assert score(LOW, HIGH, math.log(1.2), None, None).outcome is Outcome.UNCLEAR


def test_the_score_is_the_width_and_ten_times_the_miss():
    assert come_out(1.2).interval_score == pytest.approx(HIGH - LOW)
    assert come_out(1.0).interval_score == pytest.approx(HIGH - LOW + 10 * LOW)
    assert come_out(2.0).interval_score == pytest.approx(HIGH - LOW + 10 * (math.log(2) - HIGH))
    assert come_out(2.0).width == pytest.approx(HIGH - LOW)
