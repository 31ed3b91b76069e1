"""The bars for noise, and that the slowed rungs are what they claim to be."""

import importlib

import pytest
import torch

from warpbook.core import statistics
from warpbook.core.comparison import Answer
from warpbook.kernels.rung import read_rung
from warpbook.measure import noise
from warpbook.measure.noise import NoiseReport, run_noise, turns

OFTEN = """
from warpbook.measure.corpus.plain import normalise as plain

def normalise(x, out=None):
    for _ in range(20):
        plain(x, out)
"""


def report(alike, slowed):
    kinds = (Answer.FASTER, Answer.SLOWER, Answer.CANNOT_TELL)
    return NoiseReport(
        "cpu",
        "w",
        0.1,
        dict(zip(kinds, alike, strict=True)),
        dict(zip(kinds, slowed, strict=True)),
        0,
    )


@pytest.mark.parametrize(
    ("alike", "slowed", "holds"),
    [
        ((3, 3, 194), (0, 45, 5), True),
        ((4, 3, 193), (0, 45, 5), False),
        ((0, 0, 200), (0, 44, 6), False),
        ((0, 0, 200), (1, 49, 0), False),
        ((0, 0, 4), (0, 1, 0), True),
        ((0, 0, 4), (0, 0, 1), False),
    ],
)
def test_the_bars_scale_with_the_number_of_comparisons(alike, slowed, holds):
    assert report(alike, slowed).holds is holds


@pytest.mark.parametrize("together", [1, 5])
@pytest.mark.parametrize(("n", "slowed"), [(1, 1), (4, 1), (10, 2), (200, 50)])
def test_the_slowed_rung_takes_a_quarter_as_many_turns_spread_evenly(n, slowed, together):
    order = turns(n, together)
    assert sum(times for other, times in order if other == "itself") == n
    assert sum(times for other, times in order if other == "slowed") == slowed
    assert all(times <= max(together, 5) for _, times in order)
    first_half = sum(times for other, times in order[: len(order) // 2] if other == "slowed")
    assert abs(2 * first_half - slowed) <= 2 * together


@pytest.mark.usefixtures("one_thread", "any_pace")
def test_a_run_counts_every_comparison_and_says_how_far_it_is(monkeypatch, tmp_path):
    """The slowed rung does the work twenty times: a tenth more is less than some noise."""
    often = tmp_path / "often.py"
    often.write_text(OFTEN)
    rung = noise.rung
    monkeypatch.setattr(
        noise,
        "rung",
        lambda name, problem: (
            read_rung(often, problem.name) if "slowed" in name else rung(name, problem)
        ),
    )
    monkeypatch.setitem(statistics.BLOCKS, "cpu", (statistics.LEAST_BLOCKS,) * 2)
    lines = []
    found = run_noise("cpu", 1, progress=lines.append)
    assert sum(found.alike.values()) == 1
    assert found.slowed == {Answer.FASTER: 0, Answer.SLOWER: 1, Answer.CANNOT_TELL: 0}
    assert lines[-1].startswith("2 of 2")
    assert noise.SLOWDOWN[found.device] == found.slowdown


def test_the_slowed_rung_takes_a_tenth_longer_than_its_own_work(monkeypatch):
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)
    slowed = importlib.import_module("warpbook.measure.corpus.noise.slowed_cpu")
    clock = Ticks()
    monkeypatch.setattr(slowed, "time", clock)
    monkeypatch.setattr(slowed, "plain", lambda x, out: clock.advance(100))
    slowed.normalise(None, None)
    assert 110 <= clock.now < 112


class Ticks:
    """A clock that moves by itself a little with each look."""

    def __init__(self):
        self.now = 0.0

    def advance(self, ticks):
        self.now += ticks

    def perf_counter(self):
        self.now += 0.5
        return self.now
