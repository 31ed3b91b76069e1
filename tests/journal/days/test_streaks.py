"""Streaks and gaps together are all the days there were."""

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.journal.days import streaks
from warpbook.journal.days.streaks import Span

TODAY = date(2026, 1, 10)


def days(*numbers):
    return [date(2026, 1, number) for number in numbers]


def found(*numbers):
    return streaks.streaks(days(*numbers), TODAY)


def test_a_streak_and_every_gap():
    seen = found(1, 2, 3, 6, 9, 10)
    assert seen.current == Span(*days(9, 10))
    assert seen.longest == Span(*days(1, 3))
    assert [(gap.first.day, gap.last.day) for gap in seen.gaps] == [(4, 5), (7, 8)]
    assert streaks.words(seen) == (
        "2 days in a row, the longest 3 (2026-01-01 to 2026-01-03); 2 gaps, 4 days missed"
    )


def test_today_may_still_be_written():
    assert found(8, 9).current == Span(*days(8, 9))


def test_a_streak_that_ended_leaves_a_gap_up_to_yesterday():
    seen = found(7)
    assert seen.current is None
    assert seen.gaps == (Span(*days(8, 9)),)


def test_what_lies_ahead_does_not_count():
    assert found(10, 11).current == Span(*days(10, 10))


def test_nothing_logged():
    assert streaks.words(found()) == "nothing is logged yet"


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(-5, 60)))
def test_logged_days_and_gaps_are_every_day_since_the_first(ago):
    logged = {TODAY - timedelta(days=number) for number in ago}
    seen = streaks.streaks(logged, TODAY)
    past = {day for day in logged if day <= TODAY}
    assert seen.days == len(past)
    if not past:
        return
    missed = {gap.first + timedelta(days=n) for gap in seen.gaps for n in range(gap.days)}
    assert len(missed) == seen.missed
    assert not missed & past
    last = TODAY if TODAY in past else TODAY - timedelta(days=1)
    every = {min(past) + timedelta(days=n) for n in range((last - min(past)).days + 1)}
    assert missed | past == every | past
    assert seen.longest.days >= (seen.current.days if seen.current else 0)
