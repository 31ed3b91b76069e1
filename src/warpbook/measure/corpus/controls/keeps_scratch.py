"""Keeps scratch between calls

Scratch of its own is fine; only what it returns must be new.
"""

import torch

scratch: dict[torch.Size, torch.Tensor] = {}


def normalise(x, out=None):
    if x.shape not in scratch:
        scratch[x.shape] = torch.empty(x.shape, device=x.device)
    torch.abs(x, out=scratch[x.shape])
    return torch.div(x, scratch[x.shape].mean(dim=-1, keepdim=True), out=out)
