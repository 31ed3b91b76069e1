import math

import pytest

from warpbook.core.effect import KERNEL_TIME, Metric, parse_least
from warpbook.core.text import printable
from warpbook.core.wording import effect, evidence, size

POINTS = Metric("accuracy", "points", "higher", "difference")


def test_an_effect_has_its_interval_beside_it():
    gain, low, high = (math.log(factor) for factor in (1.3, 1.21, 1.39))
    assert effect(KERNEL_TIME, gain, low, high) == "1.30x (1.21x-1.39x)"
    assert effect(KERNEL_TIME, gain) == "1.30x"
    assert effect(KERNEL_TIME, None) == "-"
    assert effect(POINTS, -0.5, -1, 0.25) == "-0.5 points (-1 points to +0.25 points)"


@pytest.mark.parametrize(
    ("support", "refute", "text"),
    [
        (math.log(34), -3, "34:1 for"),
        (-3, math.log(3.24), "3.2:1 against"),
        (-1, -2, "none yet"),
        (1e6, 0, "over 1,000,000:1 for"),
    ],
)
def test_evidence_is_odds_for_or_against(support, refute, text):
    assert evidence(support, refute) == text


@pytest.mark.parametrize("text", ["3%", "0.5%", "20%", "99%"])
def test_a_least_effect_reads_as_it_was_typed(text):
    assert size(parse_least(text, KERNEL_TIME), KERNEL_TIME) == text


def test_a_least_difference_has_its_unit():
    assert size(parse_least("0.5", POINTS), POINTS) == "0.5 points"


def test_what_would_drive_the_terminal_is_shown_instead():
    assert printable("a\x1b[2Jb\u202ec\u2028d\x9b") == r"a\x1b[2Jb\u202ec\u2028d\x9b"
    assert printable("a\nb\tc") == r"a\nb\tc"
    assert printable("a\nb\tc", lines=True) == "a\nb\tc"
    assert printable("größer, 速い, 1.3x") == "größer, 速い, 1.3x"
