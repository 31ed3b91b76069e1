"""Returns a view of a buffer that it keeps

Right at the moment it is returned, with no allocation, and overwritten by the next call.
"""

import torch

from warpbook.measure.corpus.plain import normalise as honest

CONTROL = "normalise_new"

kept: dict[torch.Size, torch.Tensor] = {}


def normalise(x):
    if x.shape not in kept:
        kept[x.shape] = torch.empty(2 * x.numel(), device=x.device)
    out = kept[x.shape][: x.numel()].view(x.shape)
    return honest(x, out)
