"""How a prediction came out: hit, over, under or unclear, and its interval score.

All in units of the effect (logs, where the metric's scale is a ratio), oriented as the hypothesis
claims. Knows nothing of who predicted.
"""

from dataclasses import dataclass
from enum import StrEnum

COVER = 0.8  # what a prediction's interval is meant to hold


class Outcome(StrEnum):
    HIT = "hit"
    OVER = "over"  # more was predicted than came
    UNDER = "under"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Score:
    outcome: Outcome
    interval_score: (
        float  # Winkler's: the width, and 10 times by how much it missed; less is better
    )
    width: float


def score(
    low: float, high: float, estimate: float, est_low: float | None, est_high: float | None
) -> Score:
    """Of the interval low to high, by the pooled estimate and its 95% interval. Without one (a
    single run, spread unknown) nothing is clear."""
    width = high - low
    missed = max(low - estimate, estimate - high, 0.0)
    return Score(
        outcome_of(low, high, estimate, est_low, est_high),
        width + 2 / (1 - COVER) * missed,
        width,
    )


def outcome_of(
    low: float, high: float, estimate: float, est_low: float | None, est_high: float | None
) -> Outcome:
    if est_low is None or est_high is None:
        return Outcome.UNCLEAR
    if est_low < low < est_high or est_low < high < est_high:
        return Outcome.UNCLEAR
    if estimate < low:
        return Outcome.OVER
    return Outcome.UNDER if estimate > high else Outcome.HIT
