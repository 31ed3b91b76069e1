"""torch.mm, which is cuBLAS

The vendor's library picks one of hundreds of kernels that were tuned by hand, by a model of its
own. With a bias it is one call too (`torch.addmm`); an activation is a kernel more, which reads and
writes all of the answer again and rounds it a second time.
"""

import torch
from torch.nn import functional

LANGUAGE = "torch"
EXPECTED_GAIN = 1.05


def matmul_bf16(a, b, bias=None, activation=0, out=None):
    if not a.is_cuda:
        # In 16 bits torch.mm ends the process on some CPUs, and on others adds in 16 bits; in
        # float32 torch's gelu turns infinity into NaN there.
        y = product(a.double(), b.double(), None if bias is None else bias.double(), activation)
        return y.to(a.dtype) if out is None else out.copy_(y)
    return product(a, b, bias, activation, out)


def product(a, b, bias, activation, out=None):
    y = torch.mm(a, b, out=out) if bias is None else torch.addmm(bias, a, b, out=out)
    if activation == 1:
        functional.relu_(y)
    if activation == 2:
        torch._C._nn.gelu_(y)
    if activation == 3:
        functional.silu(y, inplace=True)
    return y
