"""The heat map: a year of dates, each with what it has."""

from datetime import date

from warpbook.journal.days import days
from warpbook.journal.days.calendar import calendar


def write(journal, on, text):
    journal.edit(days.relative(on), lambda _: text)


def test_a_year_of_weeks_with_minutes_and_entries(journal):
    write(journal, date(2026, 1, 10), "---\nminutes: 120\n---\nwords\n\n- one\n- two\n")
    write(journal, date(2026, 1, 8), "---\nminutes: 20\n---\n")
    write(journal, date(2026, 1, 7), "")
    found = calendar(journal)
    assert {len(week) for week in found.weeks} == {7}
    assert all(week[0].date.weekday() == 0 for week in found.weeks)
    assert (found.first, found.last) == (date(2025, 1, 11), date(2026, 1, 10))
    assert len(found.cells) == 365
    cells = {cell.date.day: cell for cell in found.cells[-4:]}
    assert (cells[10].minutes, cells[10].entries, cells[10].level) == (120, 3, 4)
    assert (cells[8].minutes, cells[8].level) == (20, 1)
    assert (cells[7].logged, cells[7].entries, cells[7].level) == (True, 0, 1)
    assert (cells[9].logged, cells[9].level) == (False, 0)


def test_one_track_has_its_own_minutes_and_streak(journal):
    write(journal, date(2026, 1, 9), "---\ntrack: gpu\n---\n")
    write(
        journal,
        date(2026, 1, 10),
        "---\ntrack: [gpu, ml]\nminutes: {gpu: 10, ml: 50}\n---\n",
    )
    every, ml = calendar(journal), calendar(journal, "ml")
    assert every.cells[-1].minutes == 60
    assert ml.cells[-1].minutes == 50
    assert (every.by_track["gpu"].current.days, ml.streaks.current.days) == (2, 1)
    assert every.document()["by_track"]["ml"]["days"] == 1


def test_days_ahead_are_no_part_of_it(journal):
    write(journal, date(2026, 2, 1), "words")
    assert calendar(journal, until=date(2026, 12, 31)).streaks.days == 0


def test_a_leap_day_ends_a_year_as_well(journal):
    found = calendar(journal, until=date(2024, 2, 29))
    assert (found.first, found.last) == (date(2023, 3, 1), date(2024, 2, 29))


def test_a_year_that_touches_54_weeks_has_its_first_day(journal):
    found = calendar(journal, until=date(2012, 12, 31))
    assert len(found.weeks) == 54
    assert (found.first, found.cells[0].date) == (date(2012, 1, 1), date(2012, 1, 1))
    assert len(found.cells) == 366
