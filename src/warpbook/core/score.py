"""How rungs that ran in turns stand to each other on a workload. Pure arithmetic on judgements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from warpbook.core.judgement import Judgement, Outcome


@dataclass(frozen=True)
class Score:
    """`over_peer` is the time of the fastest peer over this rung's: above 1 the rung is faster."""

    rung: str
    outcome: Outcome
    over_peer: float | None

    @property
    def time_us(self) -> float | None:
        return self.outcome.device.median_us if self.outcome.device else None


def scores(judgements: Sequence[Judgement], workload: str, peers: Iterable[str]) -> list[Score]:
    """Of the rungs that have an outcome on this workload, in the order given."""
    outcomes = {
        judgement.rung: outcome
        for judgement in judgements
        for outcome in judgement.outcomes
        if outcome.workload == workload
    }
    times = {rung: o.device.median_us for rung, o in outcomes.items() if o.device}
    fastest = min((times[peer] for peer in peers if peer in times), default=None)
    return [
        Score(rung, outcome, fastest / times[rung] if fastest and rung in times else None)
        for rung, outcome in outcomes.items()
    ]


@dataclass(frozen=True)
class Gain:
    """Of a rung over the nearest one below that has a time, whose name is `over`; `expected` is
    what the rungs between them promise together."""

    over: str | None = None
    gain: float | None = None
    expected: float | None = None


def gains(ladder: Iterable[tuple[str, float | None, float | None]]) -> list[Gain]:
    """Of each rung, given from the lowest up by its name, its time and what it is expected to gain
    over the rung below."""
    found: list[Gain] = []
    below: tuple[str, float] | None = None
    expected = 1.0
    for rung, time_us, promised in ladder:
        expected *= promised or 1.0
        if not time_us:
            found.append(Gain())
            continue
        found.append(Gain(below[0], below[1] / time_us, expected) if below else Gain())
        below, expected = (rung, time_us), 1.0
    return found


def workloads_of(judgements: Iterable[Judgement]) -> list[str]:
    """Every workload that one of them has an outcome on, in order."""
    return list(dict.fromkeys(o.workload for j in judgements for o in j.outcomes if o.workload))
