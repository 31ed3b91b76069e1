"""Predictions and how they came out, as their page asks for them."""

import math

import pytest
from book_desk import ACCURACY, Desk, make_plan

from warpbook.book.book import Book
from warpbook.book.browse import calibration
from warpbook.book.statistics.calibration import wilson
from warpbook.core.errors import NotFound


def predicted(desk, interval, *gains, change="new", **more):
    claim = desk.claim(f"{change} is faster", **more)
    experiment = desk.experiment(claim, change=change, interval=interval)
    desk.results(experiment, *gains)
    return experiment


def test_a_point_has_what_was_predicted_and_what_was_measured(book, desk):
    experiment = predicted(desk, (0.2, 0.4), 0.299, 0.301)
    (point,) = calibration.points(book)
    assert (point.experiment, point.author, point.outcome) == (experiment.name, "ana", "hit")
    assert point.ends == (0.2, 0.4)
    assert point.middle == pytest.approx(0.3)
    assert point.measured == pytest.approx(0.3, abs=1e-3)
    assert point.runs == 2


def test_over_is_below_the_line_also_for_a_claim_that_it_gets_worse(book, desk):
    claim = desk.claim("slower", direction=-1)
    desk.results(desk.experiment(claim, interval=(-0.4, -0.3)), -0.1, -0.1)
    (point,) = calibration.points(book)
    assert point.outcome == "over"
    assert point.measured < point.ends[0] == pytest.approx(0.3)


def test_the_table_has_the_interval_of_what_was_measured(book, desk):
    predicted(desk, (0.2, 0.4), 0.29, 0.31)
    (point,) = calibration.page(book)
    assert point.measured_low < 0.3 < point.measured_high


def test_pages_and_authors_are_cut_out_by_the_database(book, desk):
    for number in range(3):
        predicted(desk, (0.2, 0.4), 0.3, 0.3, change=f"new{number}")
    other = Book.open(book.folder, author="ben")
    predicted(Desk(other), (0.5, 0.6), 0.1, 0.1, change="ben")
    other.close()
    assert [p.experiment for p in calibration.page(book, limit=2)] == ["E-4", "E-3"]
    assert [p.experiment for p in calibration.page(book, limit=2, offset=2)] == ["E-2", "E-1"]
    assert calibration.page(book, sort="newest")[0].experiment == "E-1"
    assert {p.author for p in calibration.points(book, "ben")} == {"ben"}
    with pytest.raises(NotFound, match="no author"):
        calibration.points(book, "nobody")


def test_a_tally_counts_every_outcome_and_what_waits(book, desk):
    predicted(desk, (0.2, 0.4), 0.3, 0.3, change="hit")
    predicted(desk, (0.5, 0.6), 0.1, 0.1, change="over")
    predicted(desk, (0.2, 0.4), change="waits")
    (tally,) = calibration.tallies(book)
    assert tally.counts == {"hit": 1, "over": 1, "": 1}
    assert (tally.hits, tally.scored, tally.hit_rate) == (1, 2, 0.5)
    assert tally.width == pytest.approx(0.15)
    assert tally.interval == wilson(1, 2)


def test_an_unclear_prediction_does_not_count_for_the_width(book, desk):
    predicted(desk, (0.2, 0.4), 0.3, 0.3, change="hit")
    predicted(desk, (0.2, 0.9), 0.3, change="unclear")
    (tally,) = calibration.tallies(book)
    assert (tally.counts["unclear"], tally.width) == (1, pytest.approx(0.2))
    (record,) = book.calibration.by_author()
    assert record.sharpness == pytest.approx(tally.width)


def test_intervals_of_differences_do_not_count_as_factors(book, desk):
    claim = desk.claim("more accurate", delta=0.5, metric=ACCURACY)
    plan = make_plan("new", metrics=(ACCURACY,))
    desk.results(desk.experiment(claim, interval=(1.0, 50.0), plan=plan), 2.0, 2.0)
    (tally,) = calibration.tallies(book)
    assert (tally.scored, tally.width) == (1, None)
    assert calibration.sharpness(book) == []


def test_sharpness_over_time_is_of_parts_of_equal_size(book, desk):
    for number in range(10):
        wide = 0.4 if number < 5 else 0.2
        predicted(desk, (0.2, 0.2 + wide), 0.3, change=f"new{number}")
    first, second = calibration.sharpness(book)
    assert (first.count, second.count) == (5, 5)
    assert (first.width, second.width) == (pytest.approx(0.4), pytest.approx(0.2))
    assert first.scored == 0, "one run alone is unclear"


def test_wilsons_interval_holds_the_rate_and_stays_within_bounds():
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.490, abs=1e-3)
    assert high == pytest.approx(0.943, abs=1e-3)
    assert wilson(0, 3)[0] == 0.0
    assert wilson(3, 3)[1] == pytest.approx(1.0)
    assert math.isclose(sum(wilson(5, 10)), 1.0)
