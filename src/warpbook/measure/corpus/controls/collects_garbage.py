"""Leaves reference cycles for the garbage collector, and calls it now and then"""

import gc

from warpbook.measure.corpus.plain import normalise as plain

calls = [0]


def normalise(x):
    calls[0] += 1
    cycle = {"x": x}
    cycle["self"] = cycle
    if calls[0] % 8 == 0:
        gc.collect()
    return plain(x)
