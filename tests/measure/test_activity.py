"""Whose work the device did, from the times of its activities alone."""

from warpbook.measure.activity import OwnWork, assign

MS = 1_000_000


def own(*windows):
    work = OwnWork(lambda: None)
    work.windows = list(windows)
    return work


def test_a_round_lasts_from_its_first_start_to_its_last_end_over_all_streams():
    windows = [(1, 10 * MS, 11 * MS), (2, 20 * MS, 21 * MS)]
    activities = [
        (10 * MS + 1000, 10 * MS + 5000),
        (10 * MS + 2000, 10 * MS + 9000),
        (20 * MS + 500, 20 * MS + 700),
    ]
    assert assign(windows, activities) == {"spans": [[1, 8000], [2, 200]], "outside": 0}


def test_work_in_no_window_is_outside():
    assigned = assign([(1, 10 * MS, 11 * MS)], [(12 * MS, 13 * MS), (5 * MS, 6 * MS)])
    assert assigned == {"spans": [], "outside": 2}


def test_the_harness_own_launches_are_left_out_and_no_more_than_those():
    activities = [(1 * MS, 2 * MS), (1 * MS + 5, 2 * MS), (8 * MS, 9 * MS)]
    left, missing = own((1 * MS, 3 * MS, 1)).leave_out(activities)
    assert left == [(1 * MS + 5, 2 * MS), (8 * MS, 9 * MS)]
    assert missing == 0


def test_launches_of_the_harness_that_the_clock_did_not_see_are_missing():
    left, missing = own((1 * MS, 2 * MS, 1), (5 * MS, 6 * MS, 2)).leave_out([(5 * MS, 6 * MS)])
    assert left == []
    assert missing == 2
