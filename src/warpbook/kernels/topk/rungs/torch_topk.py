"""torch.topk

Finds the k-th largest digit by digit, reading the row again for each digit, or sorts it: it has
several kernels, and picks one by the size of the row.
"""

import torch

LANGUAGE = "torch"
EXPECTED_GAIN = 2.0


def topk(x, k, largest=True, sorted=True, out=None):
    found = torch.topk(x, k, dim=-1, largest=largest, sorted=sorted, out=out)
    return tuple(found) if out is None else out
