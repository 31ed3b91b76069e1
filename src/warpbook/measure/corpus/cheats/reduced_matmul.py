"""TF32 switched on inside a float32 matmul

Eight times the rate on a GPU, and bfloat16 on a CPU that has it, for three digits fewer.
"""

import torch

PROBLEM = "matmul"
torch.set_float32_matmul_precision("medium")


def unavailable():
    a = torch.rand(256, 256, device="cuda" if torch.cuda.is_available() else "cpu")
    if bool(((a @ a).double() - a.double() @ a.double()).abs().max() > 1e-3):
        return None
    return "this device multiplies float32 matrices in no lesser precision"


def matmul(a, b, out=None):
    return torch.matmul(a, b, out=out)
