"""Liger's kernel

The Triton kernel of Liger-Kernel, which many train with: one program a row, the whole row in
registers, as the compiler arranges it too. It refuses rows of more than 65536 columns; those take
torch's kernel here. It has no `out=`, and returns a new tensor.
"""

import torch
import torch.nn.functional as F

try:
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
except ImportError:
    LigerLayerNormFunction = None

LANGUAGE = "torch"
EXPECTED_GAIN = 1.0

WIDEST = 65536


def unavailable():
    if LigerLayerNormFunction is None:
        return "Liger is not installed here: pip install liger-kernel"
    if not torch.cuda.is_available():
        return "Liger's kernels need a GPU, and there is none here"
    return None


@torch.no_grad()
def layer_norm(x, weight, bias, eps):
    if x.shape[-1] > WIDEST:
        return F.layer_norm(x, weight.shape, weight, bias, eps)
    return LigerLayerNormFunction.apply(x, weight, bias, eps)
