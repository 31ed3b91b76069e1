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
    budget.needed(20, 10, first=False)
    clock.now += 49
    assert budget.share_s() > 0
    clock.now += 2
    assert budget.share_s() == 0
    clock.now += 60
    assert budget.share_s() == 0


def test_what_the_first_workload_of_a_problem_compiles_is_not_expected_again(clock):
    budget = Budget(30)
    budget.expect(2)
    budget.share_s()
    budget.needed(20, 3, first=True)
    clock.now += 23
    assert budget.share_s() == 7


def test_the_first_of_the_next_problem_leaves_what_others_took_to_be_ready(clock):
    budget = Budget(80)
    budget.expect(4)
    budget.needed(8, 1, first=False)
    budget.needed(20, 3, first=True)
    clock.now += 68
    assert budget.share_s() > 0
    clock.now += 2
    assert budget.share_s() == 0
