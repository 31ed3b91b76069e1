"""Copies that nobody waits for

Asynchronous copies bring the tiles of the next terms to shared memory while those of these terms
are multiplied: no register holds them on their way, and one barrier a stage is left of two. A
thread has 8 x 16 results, which need three sixteenths of a number for each multiplication, and the
numbers of the next term come from shared memory behind the multiplications of this one. What is
left to save is operands: sums are made in an order that lets the registers' two banks keep up, and
results are written one by one, which lets the compiler put them where it likes. `plans.py` picks
the tile, and cuts k where tiles are few. Operands that lie along k are turned first, if used often.
"""

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.held_row import processors
from warpbook.kernels.matmul.operands import begins_on_16_bytes, nothing_to_add, product_of, roomy
from warpbook.kernels.matmul.plans import ACROSS, ALONG, BY_16, plan

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.4

THREADS = 256  # of the kernels that only move
OFTEN = 1500  # uses of each number from which laying it across k first is worth a trip to memory


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    (m, k), n = a.shape, b.shape[1]
    at, a_way = laid(a.t(), n)
    b, b_way = laid(b, m)
    chosen = plan(m, n, k, processors(a.get_device()), a_way, b_way)
    tile, parts = chosen.tile, chosen.parts
    sums = c if parts == 1 else c.new_empty(parts, m, n)
    run = kernel(__file__, "matmul", *tile.parameters, chosen.a_way, chosen.b_way)
    steps = (*at.stride()[::-1], *b.stride(), *sums.stride()[-2:])
    grid = (cdiv(m, tile.rows) * cdiv(n, tile.columns), parts)
    run(grid, tile.threads, at, b, sums, m, n, k, chosen.part, *steps, shared=chosen.shared)
    if parts > 1:
        add = kernel(__file__, "add_parts", THREADS)
        add(cdiv(m * n, THREADS), THREADS, sums, c, m, n, parts, *c.stride())
    return c


def laid(operand, uses):
    """An operand, [k, wide], that the kernel can take, and the way it will be copied."""
    if begins_on_16_bytes(operand):
        return operand, BY_16
    if uses >= OFTEN:
        return across(operand), BY_16
    if operand.stride(0) == 1:
        return operand, ALONG
    return operand if operand.stride(1) == 1 else operand.contiguous(), ACROSS


def across(operand):
    """A copy whose rows begin on 16 bytes; what is past their end serves no result."""
    k, wide = operand.shape
    room = roomy(operand)
    if operand.stride(0) == 1:
        grid = cdiv(k, 32) * cdiv(wide, 32)
        steps = (operand.stride(1), room.stride(0))
        kernel(__file__, "turn", THREADS)(grid, THREADS, operand, room, k, wide, *steps)
    else:
        room.copy_(operand)
    return room
