"""What a run is worth, before seconds come into it."""

import math

from warpbook.book.statistics.worth import EXPLORATORY, RESIDUAL, worth


def test_a_decided_hypothesis_is_worth_nothing():
    assert worth([0.9, 0.9], [3, 3], [True, False])[0] == 0


def test_a_sure_one_short_of_its_verdict_is_finished_before_a_far_one():
    near, far = worth([0.0, 0.1], [1, 12], [False, False])
    assert near == RESIDUAL > far


def test_of_two_as_far_from_a_verdict_the_one_that_teaches_more_comes_first():
    much, little = worth([0.8, 0.1], [3, 3], [False, False])
    assert much > little


def test_one_too_close_to_its_least_effect_comes_after_what_is_exploratory_but_is_not_lost():
    (close,) = worth([0.01], [math.inf], [False])
    assert 0 < close < EXPLORATORY < worth([0.0], [5], [False])[0]
