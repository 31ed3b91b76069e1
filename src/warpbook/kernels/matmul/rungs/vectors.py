"""16 bytes a load, and A's tile turned

Four neighbours travel together: from memory to registers, to shared memory and back. The compiler
saw to the last step where it could tell that numbers are neighbours; it cannot for those in memory,
where strides may be anything. A thread's eight numbers of A are eight rows of one column, so A's
tile is turned as it is put down, [k][m] where it came as [m][k]: they are then two loads. Rows that
do not begin on 16 bytes are copied first.
"""

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.matmul.operands import (
    begins_on_16_bytes,
    in_pieces,
    nothing_to_add,
    product_of,
)

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.3

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
