"""Campaigns as the dashboard asks for them."""

import json
import math
from dataclasses import replace

import pytest
from book_desk import ACCURACY, TIME, Metric, make_plan

from warpbook.book.browse import campaigns
from warpbook.book.browse.campaigns import Wanted
from warpbook.core.effect import KERNEL_TIME
from warpbook.core.errors import BadInput
from warpbook.core.run import Arm, MetricSamples, Plan
from warpbook.core.statistics import ratio_interval


def names(book, **wanted):
    return [one.name for one in campaigns.listing(book, Wanted(**wanted)).glances]


def tried(desk, gain, runs, campaign, metric=TIME, change="new"):
    claim = desk.claim(f"{change} is better", metric=metric, campaign=campaign)
    plan = make_plan(change, metrics=(metric,))
    experiment = desk.experiment(claim, plan=plan)
    desk.results(experiment, *[gain] * runs)
    return claim


def test_archived_campaigns_are_put_away(book):
    book.campaigns.add("first")
    book.campaigns.add("second")
    book.campaigns.archive("first")
    assert names(book) == ["second", "inbox"]
    assert names(book, state="archived") == ["first"]
    assert names(book, state="all", sort="name") == ["first", "inbox", "second"]
    assert campaigns.listing(book, Wanted()).counts == {"active": 2, "archived": 1}


def test_a_search_takes_text_as_it_is(book):
    book.campaigns.add("half", goal="50% of the time")
    book.campaigns.add("rows", goal="one_pass")
    assert names(book, search="50%") == ["half"]
    assert names(book, search="e_p") == ["rows"]
    assert names(book, search="%") == ["half"]


def test_campaigns_come_in_pages(book):
    for number in range(4):
        book.campaigns.add(f"plan {number}")
    found = campaigns.listing(book, Wanted(page=2, rows=3))
    assert found.total == 5
    assert [one.name for one in found.glances] == ["plan 0", "inbox"]


@pytest.mark.parametrize("wanted", [Wanted(state="gone"), Wanted(sort="colour"), Wanted(sort="")])
def test_an_order_or_state_that_is_none_is_refused(book, wanted):
    with pytest.raises(BadInput, match=r"no (order|state)"):
        campaigns.listing(book, wanted)


def test_the_best_has_enough_runs_before_it_has_the_largest_effect(book, desk):
    book.campaigns.add("fast", metric=TIME)
    tried(desk, 0.9, 1, "fast", change="lucky")
    steady = tried(desk, 0.3, 3, "fast", change="steady")
    best = campaigns.glance(book, "fast").best
    assert (best.hypothesis, best.runs) == (steady.name, 3)
    assert best.estimate == pytest.approx(0.3)


def test_the_best_is_of_the_metric_of_the_campaign(book, desk):
    rate = Metric("rate", "1/s", "higher")
    book.campaigns.add("fast", metric=rate)
    tried(desk, 0.9, 3, "fast", change="time")
    mine = tried(desk, 0.2, 3, "fast", metric=rate, change="rate")
    assert campaigns.glance(book, "fast").best.hypothesis == mine.name


def test_without_a_metric_ratios_come_before_differences(book, desk):
    tried(desk, 5.0, 3, "inbox", metric=ACCURACY, change="points")
    ratio = tried(desk, 0.1, 3, "inbox", change="factor")
    assert campaigns.glance(book, "inbox").best.hypothesis == ratio.name


def test_a_withdrawn_claim_is_no_best(book, desk):
    claim = tried(desk, 0.3, 3, "inbox")
    book.hypotheses.withdraw(claim.name)
    found = campaigns.glance(book, "inbox")
    assert found.best is None
    assert found.counts == {"withdrawn": 1, "all": 1, "stale": 0}


def test_a_glance_counts_claims_experiments_and_findings(book, desk):
    claim = tried(desk, 0.3, 3, "inbox")
    desk.tried("waits")
    book.findings.add("it is", [("supports", claim.name)])
    found = campaigns.glance(book, "inbox")
    assert found.counts == {"supported": 1, "open": 1, "all": 2, "stale": 0}
    assert (found.waiting, found.findings) == ({"queued": 1}, 1)
    assert found.spent_s == pytest.approx(15.0)


def kernel_run(desk, claim, comparison):
    """A kernel's run, at twice the speed of a baseline of 1000 us."""
    arms = [Arm(name, name * 16, rung=name) for name in ("slow", "fast")]
    plan = Plan("kernel", "small", "cpu", *arms, (KERNEL_TIME,), problem="softmax")
    experiment = desk.experiment(claim, plan=plan)
    run = desk.start(experiment)
    baseline = tuple(1000.0 + 0.1 * (i % 3) for i in range(16))
    change = tuple(time / 2 for time in baseline)
    gain = -math.log(ratio_interval(baseline, change)[0])
    samples = MetricSamples(KERNEL_TIME, baseline, change, gain, 0.003)
    given = {"a_us": [*baseline], "b_us": [*change], **comparison}
    desk.record(run, replace(desk.receipt(run), metrics=(samples,), comparison=given))


def test_the_floor_of_the_best_limits_the_campaign(book, desk):
    claim = desk.claim(metric=KERNEL_TIME)
    kernel_run(desk, claim, {"floor": {"us": 250.0, "binds": "memory"}})
    limit = campaigns.glance(book, "inbox").limit
    assert limit.gain == pytest.approx(math.log(4), abs=1e-3)
    assert (limit.floor_us, limit.binds, limit.run) == (250.0, "memory", "R-1")


@pytest.mark.parametrize("floor", [None, {"us": 0, "binds": "memory"}, {"us": "x"}, []])
def test_a_receipt_without_a_floor_sets_no_limit(book, desk, floor):
    kernel_run(desk, desk.claim(metric=KERNEL_TIME), {"floor": floor})
    assert campaigns.glance(book, "inbox").limit is None


def test_a_receipt_that_is_gone_sets_no_limit(book, desk):
    kernel_run(desk, desk.claim(metric=KERNEL_TIME), {"floor": {"us": 250.0, "binds": "memory"}})
    (book.folder / "runs" / "R-1" / "receipt.json").write_text(json.dumps([1]))
    assert campaigns.glance(book, "inbox").limit is None


def test_a_campaign_is_found_by_its_number(book):
    book.campaigns.add("a/b")
    assert campaigns.glance(book, "C-2").name == campaigns.glance(book, "a/b").name
