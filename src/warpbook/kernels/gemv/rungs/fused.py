"""torch.mv

One call of the vendor's library, whose kernels were tuned for this by hand: larger loads, several
at a time. Float32 is float32 there as long as nobody allows TF32, which is off unless asked for.
"""

import torch

LANGUAGE = "torch"
EXPECTED_GAIN = 1.3


def gemv(matrix, vector, out=None):
    if matrix.is_cuda or matrix.dtype == torch.float32:
        return torch.mv(matrix, vector, out=out)
    # In 16 bits torch.mv ends the process on some CPUs, and on others adds in 16 bits.
    y = torch.mv(matrix.float(), vector.float())
    return y.to(matrix.dtype) if out is None else out.copy_(y)
