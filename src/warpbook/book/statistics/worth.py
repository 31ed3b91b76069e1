"""What one more run of an experiment is worth to a hypothesis, in bits.

The expected drop in entropy alone runs everything once and then starves a clear winner two runs
short of its verdict: belief is sure, so there is nothing to learn, and yet nothing is decided. So
until a verdict stands no belief counts as surer than 95%, and what is to be learned is spread over
the runs that the verdict still takes. In simulated campaigns (`bench/campaigns.py`) that decides
80% of the clear cases in 64% of the time that first come, first served takes, and in 75% of that of
one run each in turn. Of first come's time, the larger of the drop and the spread rest takes 75%,
and the drop alone 154%.

Knows nothing of seconds or money: the queue divides by those.
"""

import numpy as np
from numpy.typing import ArrayLike

from warpbook.book.statistics.belief import entropy
from warpbook.book.statistics.distributions import Floats
from warpbook.book.statistics.verdict import FAR_RUNS

RESIDUAL = float(entropy(np.array(0.95)))  # 0.29 bits
# Of an experiment without a hypothesis: as one that is sure but for ten more runs, above one that
# is too close to its least effect.
EXPLORATORY = RESIDUAL / 10


def worth(drop_bits: ArrayLike, runs_to_decide: ArrayLike, decided: ArrayLike) -> Floats:
    """Bits a run, one value a hypothesis. `runs_to_decide` is inf where it will not."""
    runs = np.minimum(np.asarray(runs_to_decide, np.float64), FAR_RUNS)
    bits = (np.asarray(drop_bits, np.float64) + RESIDUAL) / runs
    left: Floats = np.where(np.asarray(decided, np.bool_), 0.0, bits)
    return left
