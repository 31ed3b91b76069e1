"""What an author's scores say of the next predictions."""

import pytest

from warpbook.book.statistics.calibration import WIDEST, record_of
from warpbook.book.statistics.prediction import Outcome, Score


def scores(hits, misses, unclear=0):
    return [
        *[Score(Outcome.HIT, 0.2, 0.2)] * hits,
        *[Score(Outcome.OVER, 1.2, 0.1)] * misses,
        *[Score(Outcome.UNCLEAR, 9.0, 9.0)] * unclear,
    ]


def widen(hits, misses, unclear=0):
    return record_of("ana", scores(hits, misses, unclear)).widen


def test_a_record_counts_what_is_clear():
    record = record_of("ana", scores(3, 1, unclear=5))
    assert (record.author, record.scored, record.hits, record.hit_rate) == ("ana", 4, 3, 0.75)
    assert record.sharpness == pytest.approx(0.175)
    assert record.interval_score == pytest.approx(0.45)


def test_without_scores_there_is_no_rate():
    record = record_of("ana", scores(0, 0, unclear=3))
    assert (record.scored, record.hit_rate, record.sharpness, record.widen) == (0, None, None, 1)


def test_widening_starts_with_the_tenth_clear_prediction():
    assert widen(0, 9, unclear=20) == 1
    assert widen(0, 10) > 2


def test_a_rate_of_eight_in_ten_or_more_leaves_intervals_alone():
    assert widen(8, 2) == 1
    assert widen(40, 0) == 1


def test_widening_brings_a_normal_s_interval_to_eighty_percent():
    """At a smoothed rate of a half the interval ends at 0.674 deviations, and should at 1.282."""
    assert widen(496, 499) == pytest.approx(1.2816 / 0.6745, rel=1e-4)


def test_worse_records_widen_more_up_to_a_limit():
    wide = [widen(hits, 12 - hits) for hits in range(13)]
    assert wide == sorted(wide, reverse=True)
    assert widen(0, 10_000) == WIDEST
