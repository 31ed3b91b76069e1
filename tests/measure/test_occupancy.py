"""Theoretical occupancy, against values that NVIDIA's own calculator gives for Hopper."""

import pytest

from warpbook.measure.occupancy import Limits, Occupancy, occupancy

HOPPER = Limits(
    multiprocessors=132,
    threads=2048,
    blocks=32,
    registers=65536,
    shared_bytes=233472,
    reserved_shared_bytes=1024,
)


@pytest.mark.parametrize(
    ("block", "registers", "shared_bytes", "expected"),
    [
        ((256, 1, 1), 32, 0, Occupancy(1.0, 8, "threads")),
        ((256, 1, 1), 33, 0, Occupancy(0.75, 6, "registers")),
        ((256, 1, 1), 40, 0, Occupancy(0.75, 6, "registers")),
        ((1024, 1, 1), 64, 0, Occupancy(0.5, 1, "registers")),
        ((128, 1, 1), 255, 0, Occupancy(0.125, 2, "registers")),
        ((32, 1, 1), 16, 0, Occupancy(0.5, 32, "blocks")),
        ((768, 1, 1), 16, 0, Occupancy(0.75, 2, "threads")),
        ((256, 1, 1), 32, 227 * 1024, Occupancy(0.125, 1, "shared memory")),
        ((256, 1, 1), 32, 100 * 1024, Occupancy(0.25, 2, "shared memory")),
        ((16, 16, 1), 32, 0, Occupancy(1.0, 8, "threads")),
        ((33, 1, 1), 16, 0, Occupancy(1.0, 32, "threads")),
    ],
)
def test_what_fits_on_a_multiprocessor(block, registers, shared_bytes, expected):
    assert occupancy(block, registers, shared_bytes, HOPPER) == expected


def test_a_launch_that_does_not_fit_at_all_fills_nothing():
    too_much = occupancy((1024, 1, 1), 128, 0, HOPPER)
    assert (too_much.fraction, too_much.blocks) == (0.0, 0)
