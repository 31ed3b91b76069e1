"""When a claimed time is believed."""

import pytest

from warpbook.measure.timing import Sample, Way, unaccounted

WAY = Way(elapsed_us=300.0, busy_us=150.0, waking_us=0.0)


def rounds(call_us, elapsed_us, busy_us, n=12):
    return [Sample(call_us, call_us, elapsed_us, busy_us, 0.0, 0.0)] * n


def test_an_honest_claim_is_believed():
    assert unaccounted(rounds(1000, 1350, 1250), WAY, [300.0] * 12, "out", "cpu") is None


def test_a_busy_machine_is_not_taken_for_a_lie():
    crowded = rounds(1000, 6000, 1250)
    assert unaccounted(crowded, WAY, [5000.0] * 12, "out", "cpu") is None


@pytest.mark.parametrize("claimed", [0, 100, 500, 750])
def test_time_on_a_core_that_is_not_claimed_is_a_lie(claimed):
    shaved = rounds(claimed, 1350, 1250)
    assert "kept a core" in unaccounted(shaved, WAY, [300.0] * 12, "out", "cpu")


def test_time_that_passed_and_is_not_claimed_is_a_lie_even_off_the_core():
    assert "took about" in unaccounted(rounds(100, 1350, 200), WAY, [300.0] * 12, "out", "cpu")


def test_slow_empty_calls_buy_no_time_on_the_core():
    assert unaccounted(rounds(100, 1350, 1250), WAY, [3000.0] * 12, "out", "cpu")


def test_a_long_way_does_not_hide_a_quarter_of_a_call_on_a_cpu():
    """As measured: a call of 900 us, claimed as 675, behind a way of half a millisecond."""
    long_way = Way(elapsed_us=800.0, busy_us=500.0, waking_us=0.0)
    honest, shaved = rounds(900, 1700, 1450), rounds(675, 1700, 1450)
    assert unaccounted(honest, long_way, [800.0] * 12, "out", "cpu") is None
    assert "kept a core" in unaccounted(shaved, long_way, [800.0] * 12, "out", "cpu")
