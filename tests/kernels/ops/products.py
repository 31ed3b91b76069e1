"""What a product should be, in float64, and how near to it one has to come."""

import torch
from torch.nn import functional as F

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
ACTIVATIONS = {None: lambda x: x, "relu": F.relu, "gelu": F.gelu, "silu": F.silu}
NEAR = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def truth(a, b, bias=None, activation=None):
    y = torch.matmul(a.double(), b.double())
    return ACTIVATIONS[activation](y if bias is None else y + bias.double())


def assert_near(y, answer, terms, message=None):
    """Beside the largest number, or what terms of random signs come to."""
    largest = answer.abs().max() if answer.numel() else torch.tensor(0.0)
    scale = largest.clamp(min=max(terms, 1) ** 0.5)
    torch.testing.assert_close(
        y.double() / scale, answer / scale, rtol=0, atol=NEAR[y.dtype], msg=message
    )
