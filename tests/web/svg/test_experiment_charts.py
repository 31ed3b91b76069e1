"""The charts of experiments and runs: what is drawn, whatever the numbers are."""

import math
import re

import pytest

from warpbook.book.browse.run import Reading
from warpbook.core.effect import Metric
from warpbook.core.roofs import Floor
from warpbook.core.run import MetricSamples
from warpbook.web.svg.intervals import intervals, of_run, pooled, predicted
from warpbook.web.svg.samples import samples
from warpbook.web.svg.telemetry import charts

TIME = Metric("time_us", "us")
ACCURACY = Metric("accuracy", "points", "higher", "difference")


def of(baseline, change):
    return MetricSamples(TIME, tuple(baseline), tuple(change), 0.3, 0.01)


def numbers(markup):
    drawn = re.findall(r'\b(?:d|cx|cy|x|y|width|height)="([^"]*)"', str(markup))
    return [float(n) for path in drawn for n in re.findall(r"-?\d+(?:\.\d+)?|nan|inf", path)]


def test_each_sample_of_a_short_run_can_be_read():
    made = samples(of([10.0, 11.0], [7.0, 8.0]))
    assert "baseline, round 2: 11.0 us" in made
    assert "change: median 7.50 us" in made


def test_a_run_of_many_samples_is_no_larger_for_it():
    made = samples(of([10.0 + i % 7 for i in range(100_000)], [7.0] * 100_000))
    assert len(made) < 100_000
    assert "100000 samples" in made


def test_a_floor_is_drawn_where_it_is_near_and_told_where_it_is_not():
    near, far = (samples(of([10.0], [8.0]), Floor(us, "memory")) for us in (7.0, 0.5))
    assert 'class="floor"' in near
    assert 'class="floor"' not in far
    assert "floor 0.500 us" in far


@pytest.mark.parametrize(
    "values", [([], []), ([1.0], []), ([5.0] * 3, [5.0] * 3), ([1e-9], [1e12])]
)
def test_any_samples_can_be_drawn(values):
    assert all(map(math.isfinite, numbers(samples(of(*values)))))


def test_predictions_runs_and_their_sum_are_on_one_axis():
    rows = [
        predicted("predicted by ana", 0.2, 0.3, TIME, "H-1"),
        of_run("R-1", "", 0.25, 0.01, TIME),
        pooled("2 runs together", 0.26, 0.2, 0.32, TIME),
    ]
    made = intervals(rows, TIME, [0.03])
    assert 'href="/runs/R-1"' in made
    assert "R-1: 1.28x, within the run 1.26x..1.31x" in made
    assert made.count('class="least"') == 1


@pytest.mark.parametrize("gain", [0.0, 800.0, -800.0, 1e-12])
@pytest.mark.parametrize("metric", [TIME, ACCURACY])
def test_any_effect_can_be_drawn(gain, metric):
    made = intervals([of_run("R-1", "", gain, 0.5, metric)], metric)
    assert all(map(math.isfinite, numbers(made)))


def test_only_what_a_device_tells_is_drawn():
    readings = [Reading(100.0 + i, i / 10, None, None, 60.0, None) for i in range(10)]
    made = charts(readings, 100.0, 109.0)
    assert made.count("<svg") == 2
    assert "utilisation: from 0 to 90.0 %" in made
    assert charts([], 100.0, None).count("<svg") == 0
    assert charts(readings[:1], 100.0, None).count("<circle") == 2
