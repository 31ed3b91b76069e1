"""Of every Python that the tests start: what it measures, it measures no longer than it must.

On the path by way of `conftest.py`. A flush goes over the cache once: before every round it takes
0.1 s to go over four times one of 260 MB. A comparison settles for the blocks that are the least.
With WARPBOOK_BUSY_IS_FINE a run counts although others use the machine.
"""

import os
import sys

MEASURING = {"judge", "compare", "ladder", "bench", "recheck", "doctor"}

if MEASURING & set(sys.orig_argv):
    from warpbook.core import statistics
    from warpbook.measure import flush, watch

    flush.TIMES_THE_CACHE = 1
    statistics.BLOCKS["cpu"] = (statistics.BLOCKS["cpu"][0],) * 2
    if os.environ.get("WARPBOOK_BUSY_IS_FINE"):
        watch.CROWDED = 2.0
