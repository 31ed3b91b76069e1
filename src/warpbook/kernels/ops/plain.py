"""The operations in plain torch: on any device, with gradients, under vmap.

Results are contiguous. Knows nothing of kernels.
"""

import torch
from torch import Tensor
from torch.nn import functional as F


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
