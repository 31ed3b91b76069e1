"""Whose turn it is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.book.statistics.turns import turns


def test_every_fourth_turn_goes_to_the_one_that_has_waited_longest():
    scores, since = [1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7]
    assert turns(scores, since) == [7, 6, 5, 0, 4, 3, 2, 1]


def test_turns_given_before_count():
    assert turns([1, 2, 3], [0, 1, 2], slot=3) == [0, 2, 1]
    assert turns([1, 2, 3], [0, 1, 2], slot=2) == [2, 0, 1]


def test_those_worth_the_same_keep_their_order():
    assert turns([1, 1, 1], [5, 5, 5]) == [0, 1, 2]


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=40), st.integers(0, 9))
def test_everyone_has_one_turn(waiting, slot):
    order = turns([score for score, _ in waiting], [since for _, since in waiting], slot)
    assert sorted(order) == list(range(len(waiting)))
