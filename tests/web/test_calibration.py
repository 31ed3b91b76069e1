"""The calibration page: its parts from data, and what a browser sees of it."""

import re
from dataclasses import replace

import pytest
from book_desk import ACCURACY, TIME

from warpbook.book.browse.calibration import Part, Point, Tally
from warpbook.web.pages.calibration import authors, listing, whole
from warpbook.web.svg import calibration as pictures

HOSTILE = '<script>alert(1)</script>"' + "y" * 5000
AT = "2026-01-04T10:00:00+00:00"


def point(outcome="hit", **more):
    usual = {
        "prediction": "P-1", "experiment": "E-1", "hypothesis": "H-1", "author": "ana",
        "title": "one pass", "claim": "faster", "metric": TIME, "direction": 1, "low": 0.2,
        "high": 0.4, "outcome": outcome, "at": AT, "runs": 3, "measured": 0.3,
    }  # fmt: skip
    return Point(**usual | more)


def tally(author="ana", widen=1.0, **counts):
    return Tally(author, counts or {"hit": 8, "over": 2}, 0.2, widen)


def test_each_outcome_has_a_shape_of_its_own():
    shapes = {pictures.shape(kind, 5, 5) for kind in ("hit", "over", "under", "unclear")}
    assert len(shapes) == 4


def test_a_point_says_what_was_predicted_and_what_came():
    picture = str(pictures.scatter([point(), point("over", measured=0.0)]))
    assert "E-1 by ana: hit" in picture
    assert "predicted 1.22x..1.49x, measured 1.35x in 3 runs" in picture
    assert picture.count('class="reach"') == 2


def test_effects_without_end_stay_in_the_picture():
    far = point(low=-800.0, high=800.0, measured=700.0)
    drawn = re.findall(r' d="([^"]*)"', str(pictures.scatter([far])))
    numbers = [float(number) for path in drawn for number in re.findall(r"-?[\d.]+", path)]
    assert all(-10 <= number <= pictures.SIDE for number in numbers)
    assert not any("inf" in path or "nan" in path for path in drawn)


def test_what_is_compared_by_difference_is_listed_and_not_drawn():
    points = [point(metric=ACCURACY), point(measured=None)]
    assert pictures.drawable(points) == []
    page = str(whole([tally()], points, [], "", {}))
    assert "2 are compared by difference or have lost their runs" in page


def test_a_hit_rate_stands_beside_its_uncertainty_and_what_was_promised():
    page = str(authors([tally()], "", {}))
    assert "80%" in page
    assert "49 to 94%" in page
    assert "1.22x" in page


def test_the_widening_in_force_is_shown():
    assert "1.50x" in str(authors([tally(widen=1.5)], "", {}))


def test_sharpness_has_a_column_a_part():
    parts = [Part(AT, AT, 5, 0.4, 4, 3), Part(AT, AT, 5, 0.2, 0, 0)]
    assert str(pictures.widths(parts)).count("<rect") == 2
    assert str(pictures.rates(parts)).count("<circle") == 1


def test_a_book_without_predictions_says_what_to_do():
    assert "warpbook try" in str(whole([], [], [], "", {}))
    waiting = str(whole([tally(**{"": 3})], [], [], "", {}))
    assert "No prediction has come out yet" in waiting
    assert "3 not scored yet" in waiting


def test_hostile_words_are_text_and_short():
    bad = point(author=HOSTILE, title=HOSTILE, claim=HOSTILE)
    known = [tally(author=HOSTILE)]
    page = str(whole(known, [bad], [], "", {})) + str(listing([bad], 1, {}))
    assert "<script>" not in page
    assert len(page) < 40_000


def test_a_claim_that_it_gets_worse_is_shown_as_it_was_locked():
    worse = replace(point(), direction=-1, low=-0.4, high=-0.2, measured=0.3)
    row = str(listing([worse], 1, {}))
    assert "0.67x..0.82x" in row
    assert "0.74x" in row


@pytest.mark.browser
def test_the_page_follows_its_author_and_the_book(page, served):
    page.goto("/calibration")
    page.get_by_text("Nothing predicted yet").wait_for()
    claim = served.desk.claim("it is faster")
    experiment = served.desk.experiment(claim, interval=(0.2, 0.4))
    served.desk.results(experiment, 0.299, 0.301)
    page.get_by_role("heading", name="Scored predictions").wait_for()
    page.get_by_role("link", name="ana").click()
    page.wait_for_url("**?author=ana")
    page.locator(".points g.hit").first.wait_for()
