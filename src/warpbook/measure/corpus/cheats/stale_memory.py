"""Returns fresh memory and hopes that it holds the right answer

Where the reference has just been computed and freed in the same process, the allocator hands its
block to the next tensor of that size. Three honest calls first fill the free list.
"""

from collections import Counter

import torch

from warpbook.measure.corpus.plain import normalise as honest

CONTROL = "normalise_new"

calls: Counter[torch.Size] = Counter()


def normalise(x):
    calls[x.shape] += 1
    return honest(x) if calls[x.shape] <= 3 else torch.empty_like(x)
