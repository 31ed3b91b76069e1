"""One operation a step

The squares, their mean, the root, the quotient, the weight: five operations, each with a trip
through memory of its own and float32 in between. The matrix is read four times and written three
times where one of each would do.
"""

import torch

LANGUAGE = "torch"


def rms_norm(x, weight, eps, out=None):
    squares = torch.square(x.float())
    root = torch.sqrt(squares.mean(dim=-1, keepdim=True) + eps)
    normalised = torch.div(x, root)
    if out is None:
        return torch.mul(normalised, weight).to(x.dtype)
    return torch.mul(normalised, weight, out=out)
