import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.core import units


@pytest.mark.parametrize(
    ("us", "shown"),
    [
        (0.0, "0 us"),
        (0.5123, "0.512 us"),
        (62.14, "62.1 us"),
        (999.4, "999 us"),
        (999.6, "1.00 ms"),
        (1240, "1.24 ms"),
        (3.5e6, "3.50 s"),
        (7.2e9, "7200 s"),
        (-4.2, "-4.20 us"),
        (math.inf, "inf us"),
        (None, "-"),
    ],
)
def test_microseconds_take_the_unit_that_leaves_three_digits(us, shown):
    assert units.microseconds(us) == shown


def test_an_interval_is_in_the_unit_of_its_middle():
    assert units.interval_us(1001.0, 998.0, 1003.0) == "1.00 ms (0.998-1.00)"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (units.size(50e6), "50.0 MB"),
        (units.size(12), "12.0 B"),
        (units.bandwidth(4.28e12), "4.28 TB/s"),
        (units.rate(779e12), "779 TFLOP/s"),
        (units.percentage(0.447), "45%"),
        (units.percentage(0.0431), "4.3%"),
        (units.percentage(0.0999), "10%"),
        (units.percentage(1.02), "102%"),
        (units.percentage(None), "-"),
        (units.multiple(1.304), "1.30x"),
        (units.multiple(2.5e40), "2.50e+40x"),
        (units.multiple(None), "-"),
    ],
)
def test_sizes_rates_and_ratios(shown, expected):
    assert shown == expected


@settings(deadline=None)
@given(st.floats(1e-3, 1e9))
def test_what_is_shown_is_within_half_a_percent_of_the_number(us):
    number, unit = units.microseconds(us).split()
    scale = {"us": 1.0, "ms": 1e3, "s": 1e6}[unit]
    assert float(number) * scale == pytest.approx(us, rel=0.005)
