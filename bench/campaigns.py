"""The bars on deciding: 200 seeded campaigns of 20 hypotheses with a least effect of 3%, as
`warpbook.book.statistics.simulation` draws them, looked at after each run.

Mean false share of the supported and of the refuted: the worse of it over three ways to order the
runs, at the end of the budget of 12 runs a hypothesis. Power: of the hypotheses at 1.5 delta, those
supported once every hypothesis has had 12 runs or is decided. Time: GPU seconds until 80% of the
hypotheses outside 0.8 to 1.2 delta are decided, summed over the campaigns; a campaign that does not
get there counts with all it spent. First come, first served: in order of arrival, each runs until
it is decided or has had 12 runs, then the next; those still open come round again. One run each in
turn is a better rival, and is shown as well: it is beaten by a quarter, not by 30%, and knowing all
truths beforehand would beat it by 33%. The worth and the grid of e-values were chosen on seeds
below 120; those here played no part in it.

Such campaigns have few hypotheses on the edge. So there are 200 more with all 20 at 0.99 delta,
where anything supported is false, and 200 at delta itself, where anything refuted is. Beside them
stands what 95% intervals would have claimed. About a minute on two cores.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import fmean

from warpbook.book.statistics.simulation import (
    BUDGET,
    Campaign,
    Played,
    by_intervals,
    by_worth,
    draw,
    false_shares,
    in_turn,
    play,
    to_the_end,
)
from warpbook.book.statistics.verdict import Verdict

CAMPAIGNS = 200
SEEDS = range(1000, 1000 + CAMPAIGNS)
AT = 1.5  # of delta
ORDERS = {
    "worth": by_worth,
    "first come, first served": to_the_end,
    "one run each in turn": in_turn,
}


@dataclass(frozen=True)
class Outcome:
    false: dict[str, tuple[float, float]]
    far_s: dict[str, float]
    missed: dict[str, bool]
    asked: int  # hypotheses at 1.5 delta
    shown: int
    edge: tuple[bool, bool]  # whether anything was supported at 0.99 delta, or refuted at delta
    edge_by_intervals: tuple[bool, bool]


def outcome(seed: int) -> Outcome:
    campaign = draw(seed)
    played = {name: play(campaign, choose) for name, choose in ORDERS.items()}
    twelve = play(campaign, in_turn, most_runs=BUDGET)
    return Outcome(
        {name: false_shares(campaign, p.verdicts) for name, p in played.items()},
        {name: seconds(p) for name, p in played.items()},
        {name: p.far_s is None for name, p in played.items()},
        int((campaign.shares == AT).sum()),
        supported_at(campaign, twelve),
        *on_the_edge(seed),
    )


def on_the_edge(seed: int) -> tuple[tuple[bool, bool], tuple[bool, bool]]:
    below, at = draw(seed, share=0.99), draw(seed, share=1.0)
    by_e = [play(campaign, in_turn, most_runs=BUDGET).verdicts for campaign in (below, at)]
    by_interval = [by_intervals(campaign, BUDGET) for campaign in (below, at)]
    return mistaken(*by_e), mistaken(*by_interval)


def mistaken(below: list[Verdict], at: list[Verdict]) -> tuple[bool, bool]:
    return Verdict.SUPPORTED in below, Verdict.REFUTED in at


def seconds(played: Played) -> float:
    return played.spent_s if played.far_s is None else played.far_s


def supported_at(campaign: Campaign, played: Played) -> int:
    pairs = zip(campaign.shares.tolist(), played.verdicts, strict=True)
    return sum(share == AT and found is Verdict.SUPPORTED for share, found in pairs)


def main() -> int:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(outcome, SEEDS, chunksize=5))
    taken = {name: sum(o.far_s[name] for o in outcomes) for name in ORDERS}
    saved = {name: 1 - taken["worth"] / taken[name] for name in ORDERS}
    supported, refuted = (
        max(fmean(o.false[name][side] for o in outcomes) for name in ORDERS) for side in (0, 1)
    )
    power = sum(o.shown for o in outcomes) / sum(o.asked for o in outcomes)
    edge = [fmean(o.edge[side] for o in outcomes) for side in (0, 1)]
    rows = [
        ("false share of the supported", supported, "at most", 0.05),
        ("false share of the refuted", refuted, "at most", 0.05),
        ("any supported at 0.99 delta", edge[0], "at most", 0.05),
        ("any refuted at delta", edge[1], "at most", 0.05),
        ("power at 1.5 delta, 12 runs", power, "at least", 0.80),
        ("time saved on first come", saved["first come, first served"], "at least", 0.30),
    ]
    fine = [value <= bar if word == "at most" else value >= bar for _, value, word, bar in rows]
    for (name, value, word, bar), good in zip(rows, fine, strict=True):
        print(f"{name:32} {value:7.2%}   bar: {word} {bar:.0%}{'' if good else '   MISSED'}")
    for name in ORDERS:
        missed = sum(o.missed[name] for o in outcomes)
        print(f"{name:32} {taken[name] / 3600:5.0f} h to 80%, {missed} of {CAMPAIGNS} never there")
    print(f"{'time saved on one each in turn':32} {saved['one run each in turn']:7.2%}   no bar")
    for side, name in enumerate(("supported at 0.99", "refuted at 1")):
        share = fmean(o.edge_by_intervals[side] for o in outcomes)
        print(f"{f'95% intervals: any {name}':32} {share:7.2%}   no bar")
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
