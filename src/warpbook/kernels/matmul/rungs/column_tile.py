"""Eight results a thread, in a column

A thread has eight results below each other. A number of B, once it has come from shared memory,
stays in a register and serves all eight; those of A are the same for all threads of a warp. Eight
multiplications now need nine numbers where *tiled* needed sixteen, and the eight sums do not depend
on each other, so that none has to wait for another.
"""

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.matmul.operands import nothing_to_add, product_of

LANGUAGE = "cuda"
EXPECTED_GAIN = 2.0

SIDE, EACH = 64, 8


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    (m, k), n = a.shape, b.shape[1]
    strides = (*a.stride(), *b.stride(), *c.stride())
    grid = cdiv(m, SIDE) * cdiv(n, SIDE)
    kernel(__file__, "matmul")(grid, SIDE * SIDE // EACH, a, b, c, m, n, k, *strides)
    return c
