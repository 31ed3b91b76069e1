"""The operations in plain torch: on any device, with gradients, under vmap.

Results are contiguous. Knows nothing of kernels.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

ACTIVATIONS: dict[str | None, Callable[[Tensor], Tensor]] = {
    None: lambda x: x,
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
}


def vector_add(a: Tensor, b: Tensor) -> Tensor:
    return (a + b).contiguous()


def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, dim=-1).contiguous()


def rms_norm(x: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    return F.rms_norm(x, x.shape[-1:], weight, eps).contiguous()


def layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps).contiguous()


def add_rms_norm(
    x: Tensor, residual: Tensor, weight: Tensor | None, eps: float
) -> tuple[Tensor, Tensor]:
    h = vector_add(x, residual)
    return rms_norm(h, weight, eps), h


def add_layer_norm(
    x: Tensor, residual: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor]:
    h = vector_add(x, residual)
    return layer_norm(h, weight, bias, eps), h


def gemv(matrix: Tensor, vector: Tensor) -> Tensor:
    if matrix.is_cuda or matrix.dtype == torch.float32:
        return torch.matmul(matrix, vector)
    # In 16 bits the product ends the process on some CPUs, and on others adds in 16 bits.
    return torch.matmul(matrix.float(), vector.float()).to(matrix.dtype)


def matmul(
    a: Tensor, b: Tensor, bias: Tensor | None, activation: str | None, precision: str
) -> Tensor:
    """The precision is at least what is asked for, unless torch is told to use TF32."""
    dtype = a.dtype
    if not a.is_cuda and dtype != torch.float32:  # for the reason above
        a, b = a.float(), b.float()
        bias = None if bias is None else bias.float()
    if bias is None or b.dim() != 2:
        y = torch.matmul(a, b)
        y = y if bias is None else y + bias
    else:
        y = F.linear(a, b.mT, bias)
    return ACTIVATIONS[activation](y).to(dtype).contiguous()


def topk(x: Tensor, k: int, largest: bool, sorted: bool) -> tuple[Tensor, Tensor]:
    values, indices = torch.topk(x, k, -1, largest, sorted)
    return values.contiguous(), indices.contiguous()
