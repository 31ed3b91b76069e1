"""Copies that nobody waits for

Asynchronous copies bring the tiles of the next terms to shared memory while those of these terms
are multiplied: no register holds them on their way, and one barrier a stage is left of two. The
numbers of the next term come from shared memory behind the multiplications of this one. What is
left to save is operands: sums are made in an order that lets the registers' two banks keep up, and
results are written one by one, which lets the compiler put them where it likes. `plans.py` picks
the tile, cuts k where tiles are few, and has operands that lie along k turned first where that is
worth a trip to memory.
"""

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.held_row import processors
from warpbook.kernels.matmul.operands import begins_on_16_bytes, nothing_to_add, product_of, roomy
from warpbook.kernels.matmul.plans import ACROSS, ALONG, BY_16, SMALL, plan, worth_laying

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.4

THREADS = 256  # of the kernels that only move
SIDE = 64  # of the pieces that are turned


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    (m, k), n = a.shape, b.shape[1]
    at, there = a.t(), processors(a.get_device())
    a_way, b_way = way_of(at, n, SMALL.rows, there), way_of(b, m, SMALL.columns, there)
    chosen = plan(m, n, k, there, a_way, b_way)
    tile, parts = chosen.tile, chosen.parts
    sums = c if parts == 1 else c.new_empty(parts, m, n)
    run = kernel(__file__, "matmul", *tile.parameters, chosen.a_way, chosen.b_way)
    grid = (cdiv(m, tile.rows) * cdiv(n, tile.columns), parts)
    at, b = laid(at, a_way), laid(b, b_way)
    steps = (*at.stride()[::-1], *b.stride(), *sums.stride()[-2:])
    run(grid, tile.threads, at, b, sums, m, n, k, chosen.part, *steps, shared=chosen.shared)
    if parts > 1:
        add = kernel(__file__, "add_parts", THREADS)
        add(cdiv(m * n, THREADS), THREADS, sums, c, m, n, parts, *c.stride())
    return c


def way_of(operand, uses, across, processors):
    """How an operand, [k, wide], will be copied to shared memory."""
    if begins_on_16_bytes(operand) or worth_laying(operand.numel(), uses, across, processors):
        return BY_16
    return ALONG if operand.stride(0) == 1 else ACROSS


def laid(operand, way):
    """The operand, or a copy of it, as its way asks for. What is past the end of the copy's rows
    serves no result."""
    if way == ACROSS and operand.stride(1) != 1:
        return operand.contiguous()
    if way != BY_16 or begins_on_16_bytes(operand):
        return operand
    room = roomy(operand)
    if operand.stride(0) != 1:
        return room.copy_(operand)
    k, wide = operand.shape
    steps = (operand.stride(1), room.stride(0))
    grid = cdiv(k, SIDE) * cdiv(wide, SIDE)
    kernel(__file__, "turn", THREADS)(grid, THREADS, operand, room, k, wide, *steps)
    return room
