"""Liger's kernel

The Triton kernel of Liger-Kernel, which many train with: one program a row, the whole row in
registers, as the compiler arranges it too. It refuses rows of more than 65536 columns; those take
torch's kernel here. It has no `out=`, and returns a new tensor.
"""

import torch
import torch.nn.functional as F

try:
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
except ImportError:
    LigerRMSNormFunction = None

LANGUAGE = "torch"
EXPECTED_GAIN = 1.0

WIDEST = 65536


def unavailable():
    if LigerRMSNormFunction is None:
        return "Liger is not installed here: pip install liger-kernel"
    if not torch.cuda.is_available():
        return "Liger's kernels need a GPU, and there is none here"
    return None


@torch.no_grad()
def rms_norm(x, weight, eps):
    if x.shape[-1] > WIDEST:
        return F.rms_norm(x, weight.shape, weight, eps)
    return LigerRMSNormFunction.apply(x, weight, eps)
