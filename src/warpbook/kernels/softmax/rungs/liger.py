"""Liger-Kernel's softmax

A Triton kernel that people train models with, to measure this ladder against: one program a row,
the row in registers. It has no output buffer to offer and returns a tensor of its own. Versions
that refuse long rows raise there.
"""

import importlib.util

LANGUAGE = "triton"


def unavailable():
    if importlib.util.find_spec("liger_kernel") is None:
        return "Liger-Kernel is not installed; pip install liger-kernel"
    return None


def softmax(x):
    from liger_kernel.ops.softmax import LigerSoftmaxFunction

    return LigerSoftmaxFunction.apply(x)
