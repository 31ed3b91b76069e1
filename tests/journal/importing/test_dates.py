"""Dates as people write them."""

import pytest

from warpbook.journal.importing import dates


@pytest.mark.parametrize(
    ("text", "month", "day", "year"),
    [
        ("January 4", 1, 4, None),
        ("Jan 4th, 2026", 1, 4, 2026),
        ("2026-01-04", 1, 4, 2026),
        ("12/09/25 (T - 154)", 12, 9, 2025),
        ("12/10/2025", 12, 10, 2025),
        ("31/12/25", 12, 31, 2025),
        ("4 January", 1, 4, None),
        ("4th of January, 2026", 1, 4, 2026),
        ("Sept. 30 '25", 9, 30, 2025),
        ("2026-01-04 21:30", 1, 4, 2026),
    ],
)
def test_forms(text, month, day, year):
    found = dates.found(text)
    assert (found.month, found.day, found.year, found.problem) == (month, day, year, "")


@pytest.mark.parametrize(
    "text", ["151/365 of it", "Day 83/365", "a 3x4 tile", "2.1.3", "Marching 4"]
)
def test_what_is_none(text):
    assert dates.found(text) is None


@pytest.mark.parametrize("text", ["February 30", "13/32/25", "2026-02-29", "June 31, 2025"])
def test_one_that_never_was_is_told(text):
    assert dates.found(text).problem == f"{text} is no date"


@pytest.mark.parametrize("text", ["Sunday, January 4", "Sun 4 Jan", "Jan 4 (Sunday)", "Jan 4, Sun"])
def test_weekdays(text):
    found = dates.found(text)
    assert (found.month, found.day, found.weekday) == (1, 4, 6)


def test_two_small_numbers_leave_it_open_which_is_the_month():
    assert dates.found("12/09/25").either
    assert dates.found("12/09/25").turned().month == 9
    assert not dates.found("12/13/25").either
