import math

import pytest

from warpbook.web.svg.axes import Frame, Scale, dot, even_ticks, log_ticks, spread
from warpbook.web.svg.spark import spark


def test_ticks_are_round_and_within():
    assert even_ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert even_ticks(0.93, 1.31) == [1.0, 1.1, 1.2, 1.3]
    assert even_ticks(-3e-6, 3e-6)[0] >= -3e-6


def test_ticks_of_a_log_scale_are_powers_and_halves():
    assert log_ticks(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert log_ticks(1, 1e6) == [10.0**k for k in range(7)]
    assert len(log_ticks(1e-200, 1e200)) < 12


def test_a_scale_meets_its_ends():
    scale = Scale(1, 100, 0, 200, log=True)
    assert [scale(1), scale(10), scale(100)] == [0, 100, 200]
    assert Scale(5, 5, 0, 100)(5) == 0


@pytest.mark.parametrize("values", [[], [3.0], [2.0, 2.0], [math.nan, math.inf], [0.0]])
@pytest.mark.parametrize("log", [False, True])
def test_a_span_is_never_empty(values, log):
    low, high = spread(values, log=log)
    assert low < high
    assert math.isfinite(low)
    assert not log or low > 0


def test_a_plot_has_words_for_those_who_do_not_see_it():
    frame = Frame((0, 10), (1, 1000), y_log=True, x_label="run", y_label="time, us")
    made = frame.picture(dot(frame.x(5), frame.y(10), "<script>"), "times of <b>runs</b>")
    assert 'role="img" aria-label="times of &lt;b&gt;runs&lt;/b&gt;"' in made
    assert "<script>" not in made
    assert "time, us" in made


def test_a_sparkline_has_gaps_where_nothing_is_known():
    assert spark([1, 2, None, 3, 4], "x").count("M") == 2
    assert 'd=""' in spark([None, None], "x")
    assert "nan" not in spark([1.0, math.nan, 2.0], "x")
