"""One operation a step

The mean, the distances from it, their squares, the variance, the root, the quotient, the weight,
the bias: each operation makes a trip through memory of its own, with float32 in between. The
matrix is read seven times and written five times where one of each would do.
"""

import torch

LANGUAGE = "torch"


def layer_norm(x, weight, bias, eps, out=None):
    mean = x.float().mean(dim=-1, keepdim=True)
    distance = torch.sub(x, mean)
    squares = torch.square(distance)
    root = torch.sqrt(squares.mean(dim=-1, keepdim=True) + eps)
    weighted = torch.mul(torch.div(distance, root), weight)
    if out is None:
        return torch.add(weighted, bias).to(x.dtype)
    return torch.add(weighted, bias, out=out)
