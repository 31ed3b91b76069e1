"""One operation a step

The largest of each row, the shift by it, exp, the sum, the division: five operations, each with a
trip through memory of its own and float32 in between. The matrix is read five times and written
three times where one of each would do.
"""

import torch

LANGUAGE = "torch"


def softmax(x, out=None):
    largest = x.amax(dim=-1, keepdim=True)
    shifted = torch.sub(x.float(), largest)
    weights = torch.exp(shifted)
    total = weights.sum(dim=-1, keepdim=True)
    if out is None:
        return torch.div(weights, total).to(x.dtype)
    return torch.div(weights, total, out=out)
