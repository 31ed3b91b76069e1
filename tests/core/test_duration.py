import pytest

from warpbook.core.duration import parse_duration, show_duration
from warpbook.core.errors import BadInput


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), ("1 d", 86400)]
)
def test_a_span_is_a_number_and_a_unit(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "-1h", "2w", "1e999", "nan", "2h 5m"])
def test_what_is_no_span_is_refused(text):
    with pytest.raises(BadInput, match="write 90s"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.04, "0.0 s"),
        (9.96, "10 s"),
        (89.6, "1 min"),
        (3599, "1 h"),
        (7500, "2 h 5 min"),
        (3 * 86400 + 4 * 3600, "3 d 4 h"),
    ],
)
def test_a_span_is_shown_in_two_units_at_most(seconds, text):
    assert show_duration(seconds) == text
