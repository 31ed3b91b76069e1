"""torch.nn.functional.rms_norm

One kernel does all steps, so the matrix is read twice and written once: seven trips through memory
become three, and the second reading finds part of the row in a cache. It has no `out=`, and
returns a new tensor.
"""

import torch.nn.functional as F

LANGUAGE = "torch"
EXPECTED_GAIN = 2.3


def rms_norm(x, weight, eps):
    return F.rms_norm(x, weight.shape, weight, eps)
