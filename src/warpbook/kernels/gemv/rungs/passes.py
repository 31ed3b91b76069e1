"""The products, then their sums

The formula as it is written: multiply every row by the vector, then add up each row. The products
are a matrix of their own, which is written to memory and read back, in float32 whatever the dtype.
Where the matrix has 16 bits it is widened first, and crosses memory twice more.
"""

import torch

LANGUAGE = "torch"


def gemv(matrix, vector, out=None):
    products = torch.mul(matrix.float(), vector.float())
    if out is None:
        return products.sum(dim=-1).to(matrix.dtype)
    return torch.sum(products, dim=-1, dtype=out.dtype, out=out)
