"""What one more run of an experiment is worth to a hypothesis, in bits.

The expected drop in entropy alone would starve a clear winner two runs short of its verdict: belief
is sure, so there is nothing to learn, and yet nothing is decided. So until a verdict stands, no
belief counts as surer than 95%, and the bits that leaves are spread over the runs still needed.

Knows nothing of seconds or money: the queue divides by those.
"""

import numpy as np
from numpy.typing import ArrayLike

from warpbook.book.belief import entropy
from warpbook.book.distributions import Floats

RESIDUAL = float(entropy(np.array(0.95)))  # 0.29 bits
# Of an experiment without a hypothesis: below a hypothesis that ten runs would decide, above one
# that is too close to its least effect.
EXPLORATORY = RESIDUAL / 20


def worth(drop_bits: ArrayLike, runs_to_decide: ArrayLike, decided: ArrayLike) -> Floats:
    """Bits a run, one value a hypothesis. `runs_to_decide` is inf where it will not."""
    finish = RESIDUAL / np.asarray(runs_to_decide, np.float64)
    bits: Floats = np.where(decided, 0.0, np.maximum(drop_bits, finish))
    return bits
