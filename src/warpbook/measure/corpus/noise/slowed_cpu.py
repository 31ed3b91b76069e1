"""The plain rung, and then a wait of a tenth of the time it took

More work would not do: what is done again is done in warm caches, and takes less than its share.
"""

import time

from warpbook.measure.corpus.plain import normalise as plain


def normalise(x, out=None):
    began = time.perf_counter()
    plain(x, out)
    ends = began + 1.1 * (time.perf_counter() - began)
    while time.perf_counter() < ends:
        pass
    return out
