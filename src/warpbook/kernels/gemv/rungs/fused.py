"""torch.mv

One call of the vendor's library, which reads the matrix once and keeps no products. On a GPU the
matrix crosses memory once in place of three times in float32 and six in 16 bits. Float32 is float32
there as long as nobody allows TF32, which is off unless asked for.
"""

import torch

LANGUAGE = "torch"
EXPECTED_GAIN = 3.0


def gemv(matrix, vector, out=None):
    if matrix.is_cuda or matrix.dtype == torch.float32:
        return torch.mv(matrix, vector, out=out)
    # In 16 bits torch.mv ends the process on some CPUs, and on others adds in 16 bits.
    y = torch.mv(matrix.float(), vector.float())
    return y.to(matrix.dtype) if out is None else out.copy_(y)
