"""torch.mm

The vendor's library, which has many kernels for this and picks one by the shape. Float32 is float32
there as long as nobody allows TF32, which is off unless asked for.
"""

import torch

LANGUAGE = "torch"
EXPECTED_GAIN = 1.0


def matmul(a, b, out=None):
    return torch.mm(a, b) if out is None else torch.mm(a, b, out=out)
