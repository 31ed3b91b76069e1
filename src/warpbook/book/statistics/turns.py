"""Whose turn it is: the order of a queue from scores, with every fourth slot for whoever has waited
longest, so that nothing waits for ever.

Knows nothing of what is scored; pins and priorities are the queue's.
"""

import numpy as np
from numpy.typing import ArrayLike

EVERY = 4


def turns(scores: ArrayLike, since: ArrayLike, slot: int = 0) -> list[int]:
    """The places of all that wait, in the order of their turns. `since` says when each began to
    wait; `slot` how many turns were given before, of which each fourth goes to the longest waiting.
    """
    best = np.argsort(-np.asarray(scores, np.float64), kind="stable").tolist()
    longest = np.argsort(np.asarray(since, np.float64), kind="stable").tolist()
    given = [False] * len(best)
    order: list[int] = []
    lines = iter(best), iter(longest)
    for turn in range(slot, slot + len(best)):
        line = lines[turn % EVERY == EVERY - 1]
        place = next(place for place in line if not given[place])
        given[place] = True
        order.append(place)
    return order
