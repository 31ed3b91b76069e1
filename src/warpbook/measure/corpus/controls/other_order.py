"""Sums each row in another order

Blocks of eight columns, from the last to the first: a different rounding, and an honest one.
"""

import torch


def normalise(x, out=None):
    rows, columns = x.shape
    size = x.new_zeros(rows, 8)
    blocks = torch.nn.functional.pad(x.abs(), (0, -columns % 8)).view(rows, -1, 8)
    size += blocks.flip(1).sum(dim=1)
    return torch.div(x, size.sum(dim=-1, keepdim=True) / columns, out=out)
