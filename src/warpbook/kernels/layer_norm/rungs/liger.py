"""Liger-Kernel's layer_norm

A Triton kernel that people train models with, to measure this ladder against: one program a row,
the row in registers. It has no output buffer to offer and returns a tensor of its own. Versions
that refuse long rows raise there.
"""

import torch

try:
    from liger_kernel.ops.layer_norm import LigerLayerNormFunction
except ImportError:
    LigerLayerNormFunction = None

LANGUAGE = "triton"


def unavailable():
    if LigerLayerNormFunction is None:
        return "Liger-Kernel is not installed; pip install liger-kernel"
    return None


@torch.no_grad()
def layer_norm(x, weight, bias, eps):
    return LigerLayerNormFunction.apply(x, weight, bias, eps)
