"""Three products in TF32 for one in float32

The matrix unit has no float32. Its TF32 keeps 11 of a number's 24 bits, at eight times the rate of
float32. A number is the sum of its first 11 bits and of the other 12 to within one bit; so a
product of two is that of the firsts and two mixed ones, and what is left out is 2^-22 of it. B is
split beforehand, and turned so that k lies along rows, which the matrix unit asks of TF32. A is
split on its way from shared memory to registers. The matrix unit cuts its sums off where float32
rounds them, so that errors lean one way and pile up: it is given short chains, and a float32
addition puts them together. Everything is made 2^13 times larger, so that no number, however small,
has bits that TF32 cannot hold. Where that comes out too large, and where there is an infinity or
NaN, a last kernel finds results that are not finite, and makes their tiles again in plain float32.
So it does for products that are small in any size.
"""

from functools import cache, partial

import torch

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.matmul.operands import nothing_to_add, product_of
from warpbook.kernels.tensor_map import fits, tensor_map

LANGUAGE = "cuda"
EXPECTED_GAIN = 2.4
UNIT = "tf32 matrix"
TIMES = 3

TILE, DEPTH = 128, 32  # results a side of a block's tile, and k of a stage
STAGES = 4
CHAIN = 2  # stages; with 4, a 4096^3 product is 1% quicker and its errors are 1.8 times as large
LEAST = 32  # of every size: a smaller product wastes most of a tile
THREADS = 384
LINE = 32  # numbers of a line of memory


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def room_for(matrix, parts):
    """So many matrices of this shape, each with rows that the copy engine can read."""
    rows, k = matrix.shape
    return matrix.new_empty(parts, rows, cdiv(k, LINE) * LINE)[:, :, :k]


def rewrite(matrix, into, odd):
    """`into` has one part, for a copy, or two, for the high and the low halves."""
    rows, k = matrix.shape
    halves = len(into) == 2
    run = kernel(__file__, "rewrite", matrix.stride(1) <= matrix.stride(0), halves)
    numbers = (rows, k, *matrix.stride(), into.stride(1))
    run(cdiv(rows, 64) * cdiv(k, 64), 256, matrix, into[0], into[-1], odd, *numbers)


def prepared(a, b, c, odd, cluster, chain=CHAIN):
    """What launches the product of A [m, k] and B [2, n, k], its halves."""
    (m, k), n = a.shape, b.shape[1]
    box = (TILE // cluster, DEPTH)
    maps = (tensor_map(a, (TILE, DEPTH)), tensor_map(b[0], box), tensor_map(b[1], box))
    tiles = cdiv(m, TILE * cluster) * cdiv(n, TILE)
    blocks = cluster * min(tiles, multiprocessors(a.get_device()) // cluster)
    run = kernel(__file__, "product", cluster, STAGES, chain).in_clusters(cluster)
    room = 1024 + STAGES * 3 * TILE * DEPTH * 4
    return partial(run, blocks, THREADS, *maps, c, odd, m, n, k, *c.stride(), shared=room)


def moved(a, b):
    """How many numbers are read and written before the product, with B the one that is split."""
    return 3 * b.numel() + (0 if fits(a) else 2 * a.numel())


def plain(a, b, c, odd=None):
    """In float32: everything, or, with the mark in `odd`, what is not finite."""
    (m, k), n = a.shape, b.shape[1]
    tiles = cdiv(m, 64) * cdiv(n, 64)
    blocks = tiles if odd is None else min(tiles, 2 * multiprocessors(a.get_device()))
    strides = (*a.stride(), *b.stride(), *c.stride())
    kernel(__file__, "plain", odd is None)(blocks, 256, a, b, c, odd, m, n, k, *strides)


def multiply(a, b, c):
    """As much as can be is done before the first kernel is launched: others would wait for it."""
    odd = torch.empty(1, dtype=torch.int32, device=a.device)
    copy = None if fits(a) else room_for(a, 1)
    halves = room_for(b.t(), 2)
    launch = prepared(a if copy is None else copy[0], halves, c, odd, 2 if len(a) > TILE else 1)
    if copy is not None:
        rewrite(a, copy, odd)
    rewrite(b.t(), halves, odd)
    launch()
    plain(a, b, c, odd)


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    if min(*c.shape, len(b)) < LEAST:
        plain(a, b, c)
    elif moved(b.t(), a) < moved(a, b):
        multiply(b.t(), a.t(), c.t())
    else:
        multiply(a, b, c)
    return c
