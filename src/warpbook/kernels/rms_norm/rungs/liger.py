"""Liger-Kernel's rms_norm

A Triton kernel that people train models with, to measure this ladder against: one program a row,
the row in registers. It has no output buffer to offer and returns a tensor of its own. Versions
that refuse long rows raise there.
"""

import torch

try:
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction
except ImportError:
    LigerRMSNormFunction = None

LANGUAGE = "triton"


def unavailable():
    if LigerRMSNormFunction is None:
        return "Liger-Kernel is not installed; pip install liger-kernel"
    return None


@torch.no_grad()
def rms_norm(x, weight, eps):
    return LigerRMSNormFunction.apply(x, weight, eps)
