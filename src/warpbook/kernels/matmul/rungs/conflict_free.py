"""No two lanes in one bank

In *vectors* two things wait for their turn at a bank of shared memory. A thread's eight columns are
32 bytes, so that of eight lanes that read 16 bytes each, two meet in every bank: here a thread has
four columns and four more half a tile further on, and eight lanes read 128 bytes in a row. And two
lanes that put down the two halves of a row of A meet 512 bytes apart: four numbers of padding a row
keep them apart.
"""

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.matmul.operands import (
    begins_on_16_bytes,
    in_pieces,
    nothing_to_add,
    product_of,
)

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.15

SIDE, EACH = 128, 8


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    (m, k), n = a.shape, b.shape[1]
    a, b = in_pieces(a), in_pieces(b)
    steps = (a.stride(0), b.stride(0), *c.stride(), int(begins_on_16_bytes(c)))
    grid = cdiv(m, SIDE) * cdiv(n, SIDE)
    kernel(__file__, "matmul")(grid, (SIDE // EACH) ** 2, a, b, c, m, n, k, *steps)
    return c
