import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpbook.core.effect import (
    KERNEL_TIME,
    Better,
    Metric,
    Scale,
    blocks_gain,
    check_samples,
    parse_gain,
    parse_interval,
    parse_least,
    parse_metric,
    show_gain,
    show_interval,
)
from warpbook.core.errors import BadInput

RATE = Metric("tokens", "tokens/s", Better.HIGHER)
SCORE = Metric("score", "points", Better.HIGHER, Scale.DIFFERENCE)
LOSS = Metric("loss", "", Better.LOWER, Scale.DIFFERENCE)


@pytest.mark.parametrize(
    ("text", "metric", "gain"),
    [
        ("1.3x", KERNEL_TIME, math.log(1.3)),
        ("1.3x", RATE, math.log(1.3)),
        ("0.5x", RATE, math.log(0.5)),
        ("-20%", KERNEL_TIME, -math.log(0.8)),
        ("+5%", KERNEL_TIME, -math.log(1.05)),
        ("+5%", RATE, math.log(1.05)),
        ("5%", RATE, math.log(1.05)),
        (" \N{MINUS SIGN}20 % ", KERNEL_TIME, -math.log(0.8)),
        ("0%", KERNEL_TIME, 0.0),
        ("+0.5", SCORE, 0.5),
        ("-1 points", SCORE, -1.0),
        ("-0.02", LOSS, 0.02),
        ("0", LOSS, 0.0),
    ],
)
def test_what_people_type_becomes_a_gain(text, metric, gain):
    assert parse_gain(text, metric) == pytest.approx(gain)


@pytest.mark.parametrize(
    ("text", "metric", "said"),
    [
        ("", KERNEL_TIME, "write 1.3x"),
        ("nan", KERNEL_TIME, "write 1.3x"),
        ("nanx", KERNEL_TIME, "write 1.3x"),
        ("inf%", KERNEL_TIME, "write 1.3x"),
        ("1e999x", KERNEL_TIME, "no finite effect"),
        ("faster", KERNEL_TIME, "write 1.3x"),
        ("1.3", KERNEL_TIME, "compared by ratio"),
        ("0x", KERNEL_TIME, "no factor"),
        ("-1.2x", KERNEL_TIME, "no factor"),
        ("-100%", KERNEL_TIME, "leaves nothing"),
        ("20%", KERNEL_TIME, "-20% or [+]20%"),
        ("1.3x", SCORE, "compared by difference"),
        ("+2%", SCORE, "compared by difference"),
        ("0.5", LOSS, "falls or rises"),
    ],
)
def test_what_is_no_effect_of_the_metric_is_refused_with_what_to_write(text, metric, said):
    with pytest.raises(BadInput, match=said):
        parse_gain(text, metric)


@pytest.mark.parametrize(
    ("text", "metric", "low", "high"),
    [
        ("1.2x..1.6x", KERNEL_TIME, math.log(1.2), math.log(1.6)),
        ("-20%..-10%", KERNEL_TIME, -math.log(0.9), -math.log(0.8)),
        ("-20%..+10%", RATE, math.log(0.8), math.log(1.1)),
        ("-0.5..+1 points", SCORE, -0.5, 1.0),
        ("-0.5..-0.1", LOSS, 0.1, 0.5),
    ],
)
def test_an_interval_is_two_gains_the_lower_first(text, metric, low, high):
    assert parse_interval(text, metric) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.2x", "no interval"),
        ("", "no interval"),
        ("..", "no effect"),
        ("1.2x..", "no effect"),
        ("1.2x..nan", "no effect"),
        ("1.6x..1.2x", r"upside down: write 1.2x\.\.1.6x"),
        ("-10%..-20%", r"upside down: write -20%\.\.-10%"),
        ("1.2x..1.2x", "no width"),
        ("0x..1.2x", "no factor"),
        ("-20%..1.2x", "two ways"),
        ("1.2..1.6x", "compared by ratio"),
    ],
)
def test_an_interval_that_is_none_is_refused(text, said):
    with pytest.raises(BadInput, match=said):
        parse_interval(text, KERNEL_TIME)


@pytest.mark.parametrize(
    ("text", "metric", "least"),
    [
        ("3%", KERNEL_TIME, math.log(1.03)),
        ("+3%", RATE, math.log(1.03)),
        ("1.05x", KERNEL_TIME, math.log(1.05)),
        ("0.5", LOSS, 0.5),
        ("0.5 points", SCORE, 0.5),
    ],
)
def test_the_least_effect_is_a_size(text, metric, least):
    assert parse_least(text, metric) == pytest.approx(least)


@pytest.mark.parametrize("text", ["0%", "-3%", "1x", "0.9x", "0x", "0.03", "nan", ""])
def test_a_least_effect_that_is_none_is_refused(text):
    with pytest.raises(BadInput, match="write 3% or"):
        parse_least(text, KERNEL_TIME)


@pytest.mark.parametrize(
    ("gain", "metric", "shown"),
    [
        (math.log(1.3), KERNEL_TIME, "1.30x"),
        (math.log(0.87), RATE, "0.87x"),
        (math.log(123.4), RATE, "123x"),
        (0.5, SCORE, "+0.5 points"),
        (0.02, LOSS, "-0.02"),
        (0.0, LOSS, "+0"),
        (math.inf, RATE, "infx"),
        (math.nan, RATE, "-"),
    ],
)
def test_a_gain_is_shown_as_people_type_it(gain, metric, shown):
    assert show_gain(gain, metric) == shown


@settings(deadline=None)
@given(st.floats(-0.5, 0.5), st.floats(0.1, 1.0), st.sampled_from([KERNEL_TIME, RATE, SCORE, LOSS]))
def test_an_interval_as_shown_reads_as_the_same_interval(low, width, metric):
    shown = show_interval(low, low + width, metric)
    assert parse_interval(shown, metric) == pytest.approx((low, low + width), abs=0.01)


def test_a_steady_drift_cancels_within_the_blocks():
    drift = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]
    a = [drift[i] for i in (0, 3, 4, 7)]
    b = [drift[i] + 1 for i in (1, 2, 5, 6)]
    gain, error = blocks_gain(a, b, SCORE)
    assert gain == pytest.approx(1.0)
    assert error == pytest.approx(0.0, abs=1e-12)


def test_a_gain_is_positive_where_the_change_is_better():
    slow, fast = [2.0, 2.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0]
    assert blocks_gain(slow, fast, KERNEL_TIME)[0] == pytest.approx(math.log(2))
    assert blocks_gain(slow, fast, RATE)[0] == pytest.approx(-math.log(2))
    assert blocks_gain(slow, fast, LOSS)[0] == pytest.approx(1.0)


def test_the_error_is_that_of_the_mean_over_blocks():
    a = [0.0] * 6
    b = [0.0, 2.0, 1.0, 3.0, 2.0, 4.0]  # blocks of 1, 2 and 3
    assert blocks_gain(a, b, SCORE) == pytest.approx((2.0, 1 / math.sqrt(3)))


@pytest.mark.parametrize(
    ("a", "b"), [([1.0, 1.0], [1.0, 1.0]), ([1.0] * 4, [1.0] * 6), ([1.0] * 5, [1.0] * 5)]
)
def test_samples_that_make_no_blocks_are_refused(a, b):
    with pytest.raises(BadInput, match="blocks"):
        blocks_gain(a, b, KERNEL_TIME)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0.0, -1.0])
def test_a_sample_that_has_no_ratio_is_refused(bad):
    with pytest.raises(BadInput, match="time_us is"):
        check_samples([1.0, bad], KERNEL_TIME)


def test_zero_and_negative_samples_have_a_difference():
    check_samples([0.0, -1.0], SCORE)
    with pytest.raises(BadInput, match="score is nan"):
        check_samples([math.nan], SCORE)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("time_ms", Metric("time_ms")),
        ("tokens:higher", Metric("tokens", "", Better.HIGHER)),
        ("score:higher:difference:points", SCORE),
        ("loss::difference", LOSS),
    ],
)
def test_a_metric_is_declared_in_words(text, metric):
    assert parse_metric(text) == metric


@pytest.mark.parametrize("text", ["", ":lower", "time:faster", "time:lower:log"])
def test_a_metric_in_other_words_is_refused(text):
    with pytest.raises(BadInput, match="the metric"):
        parse_metric(text)
