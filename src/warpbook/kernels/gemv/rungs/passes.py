"""The products, then their sums

The formula in torch: multiply every row by the vector, then add up each row. Every thread of the
device has work, and neighbours read what lies side by side. But the products are a matrix of their
own, which is written to memory and read back, in float32 whatever the dtype; and where the matrix
has 16 bits it is widened first, and crosses memory twice more. Three times the least traffic, nine
times in 16 bits: with 4096 rows still less than a thread a row loses by waiting.
"""

import torch

LANGUAGE = "torch"
EXPECTED_GAIN = 3.0


def gemv(matrix, vector, out=None):
    products = torch.mul(matrix.float(), vector.float())
    if out is None:
        return products.sum(dim=-1).to(matrix.dtype)
    return torch.sum(products, dim=-1, dtype=out.dtype, out=out)
