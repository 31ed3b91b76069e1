"""An author's record: how often the predictions hit, how sharp they are, and how much wider the
next ones are taken.

Knows scores, not the experiments behind them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from warpbook.book.statistics.distributions import NORMAL
from warpbook.book.statistics.prediction import COVER, Outcome, Score

# Fewer predictions say too little: of 10 good ones 3 or more miss a third of the time.
ENOUGH = 10
# As many imagined predictions, hit at the rate they should be, keep a run of bad luck small.
IMAGINED = 5
WIDEST = 8.0


@dataclass(frozen=True)
class Record:
    author: str
    scored: int  # without those that are unclear
    hits: int
    hit_rate: float | None
    sharpness: float | None  # the mean width of the intervals
    interval_score: float | None
    widen: float


def record_of(author: str, scores: Sequence[Score]) -> Record:
    clear = [score for score in scores if score.outcome is not Outcome.UNCLEAR]
    if not clear:
        return Record(author, 0, 0, None, None, None, 1.0)
    hits = sum(score.outcome is Outcome.HIT for score in clear)
    return Record(
        author,
        len(clear),
        hits,
        hits / len(clear),
        fmean(score.width for score in clear),
        fmean(score.interval_score for score in clear),
        widening(len(clear), hits),
    )


def widening(scored: int, hits: int) -> float:
    """By how much a normal's 80% interval is too narrow if it hits this often. Never narrows."""
    if scored < ENOUGH:
        return 1.0
    rate = (hits + IMAGINED * COVER) / (scored + IMAGINED)
    wide = NORMAL.inv_cdf((1 + COVER) / 2) / NORMAL.inv_cdf((1 + rate) / 2)
    return min(max(wide, 1.0), WIDEST)


def wilson(hits: int, scored: int, confidence: float = 0.95) -> tuple[float, float]:
    """Where the rate behind so many hits lies: Wilson's interval, which holds for few too."""
    z = NORMAL.inv_cdf((1 + confidence) / 2)
    rate, weight = hits / scored, z * z / scored
    middle = (rate + weight / 2) / (1 + weight)
    half = math.sqrt(rate * (1 - rate) * weight + weight * weight / 4) / (1 + weight)
    return max(middle - half, 0.0), min(middle + half, 1.0)
