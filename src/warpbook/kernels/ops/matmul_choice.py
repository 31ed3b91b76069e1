"""Who makes a product: one of the kernels, or cuBLAS.

Knows a product by its sizes and its kind, and never sees a tensor.
"""

from typing import NamedTuple

import torch

from warpbook.kernels.ops.explanation import Explanation

CUBLAS = "cuBLAS"


class Product(NamedTuple):
    """[m, k] by [k, n]. `layouts` has a letter for each operand: n where the neighbours in a row
    are side by side, t where those in a column are. `aligned`: all their lines start at multiples
    of 16 bytes. `tf32`: torch is told that it may use TF32 for float32."""

    m: int
    n: int
    k: int
    dtype: torch.dtype
    layouts: str = "nn"
    aligned: bool = True
    bias: bool = False
    activation: bool = False
    precision: str = "ieee"
    tf32: bool = False


def matmul_choice(product: Product, sms: int) -> Explanation:
    """Pure: the same for the same numbers."""
    return Explanation(CUBLAS, "always")
