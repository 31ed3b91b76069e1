"""torch.nn.functional.layer_norm

One kernel does all steps. It finds mean and variance in one reading of the row and reads it again
to write: twelve trips through memory become three. It has no `out=`, and returns a new tensor.
"""

import torch.nn.functional as F

LANGUAGE = "torch"
EXPECTED_GAIN = 4.0


def layer_norm(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, weight, bias, eps)
