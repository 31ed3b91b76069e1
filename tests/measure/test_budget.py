"""How a budget is shared, on a clock that the tests move."""

import pytest

from warpbook.measure import budget as module
from warpbook.measure.budget import Budget


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_workloads_share_alike_and_hand_on_what_they_leave(clock):
    budget = Budget(80)
    budget.expect(4)
    assert budget.share_s() == 20
    clock.now += 5
    assert budget.share_s() == 25
    clock.now += 45
    assert budget.share_s() == 15


def test_what_cannot_fit_any_more_gets_nothing(clock):
    budget = Budget(80)
    budget.expect(3)
    budget.share_s()
    budget.needed(30)
    clock.now += 49
    assert budget.share_s() > 0
    clock.now += 2
    assert budget.share_s() == 0
    clock.now += 60
    assert budget.share_s() == 0
