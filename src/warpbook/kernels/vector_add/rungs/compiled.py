"""torch.compile

The compiler sees one addition and writes one pass over memory, as torch.add already does. There is
nothing to fuse and nothing to gain; the rung is here to show that.
"""

import torch

from warpbook.kernels.compiling import by_size, unavailable  # noqa: F401, the judge asks

LANGUAGE = "torch"
EXPECTED_GAIN = 1.0


@by_size
def fill(a, b, out):
    out.copy_(a + b)


def vector_add(a, b, out=None):
    out = torch.empty_like(a, memory_format=torch.contiguous_format) if out is None else out
    # A copy where elements are apart, so that one kernel serves every layout.
    fill(a.contiguous(), b.contiguous(), out)
    return out
