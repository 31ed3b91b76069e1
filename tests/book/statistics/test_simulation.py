"""A few of the campaigns that `bench/campaigns.py` plays 200 of, and its bars."""

import pytest

from warpbook.book.statistics.simulation import (
    BUDGET,
    by_intervals,
    by_worth,
    draw,
    false_shares,
    in_turn,
    play,
    to_the_end,
)
from warpbook.book.statistics.verdict import LEAST_RUNS, Verdict

SEEDS = range(9)


@pytest.fixture(scope="module")
def played():
    campaigns = [draw(seed) for seed in SEEDS]
    return [(c, play(c, by_worth), play(c, to_the_end)) for c in campaigns]


def test_few_verdicts_are_false(played):
    shares = [false_shares(campaign, by_queue.verdicts) for campaign, by_queue, _ in played]
    assert sum(share for share, _ in shares) / len(shares) <= 0.05
    assert sum(share for _, share in shares) / len(shares) <= 0.05


def test_the_queue_decides_the_clear_cases_in_less_time_than_first_come_first_served(played):
    queue_s = sum(by_queue.far_s for _, by_queue, _ in played)
    assert queue_s <= 0.7 * sum(by_arrival.far_s for _, _, by_arrival in played)


def test_nothing_is_starved_and_nothing_decided_early(played):
    for _, by_queue, _ in played:
        assert min(by_queue.counts) >= LEAST_RUNS


def test_an_effect_of_half_as_much_again_is_supported_after_twelve_runs():
    found = [
        verdict
        for campaign in map(draw, SEEDS)
        for share, verdict in zip(
            campaign.shares, play(campaign, in_turn, most_runs=BUDGET).verdicts, strict=True
        )
        if share == 1.5
    ]
    assert len(found) >= 20
    assert found.count(Verdict.SUPPORTED) >= 0.8 * len(found)


@pytest.mark.parametrize(("share", "mistake"), [(0.99, Verdict.SUPPORTED), (1.0, Verdict.REFUTED)])
def test_on_the_edge_looking_after_each_run_fools_intervals_and_not_e_values(share, mistake):
    campaigns = [draw(seed, share) for seed in SEEDS]
    by_e = [mistake in play(c, in_turn, most_runs=BUDGET).verdicts for c in campaigns]
    assert sum(by_e) == 0
    assert sum(mistake in by_intervals(c, BUDGET) for c in campaigns) >= len(campaigns) / 3
