"""torch.add into the output

torch's own kernel makes one pass, and each thread of it loads several elements 16 bytes at a time,
so enough bytes are on their way to keep the memory busy. On a CPU the gain is that of moving three
vectors in place of five.
"""

import torch

LANGUAGE = "torch"
EXPECTED_GAIN = 1.3


def vector_add(a, b, out=None):
    return torch.add(a, b, out=out)
