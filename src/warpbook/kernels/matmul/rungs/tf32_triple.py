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

from functools import cache

import torch

from warpbook.kernels.cuda import cdiv, kernel
from warpbook.kernels.matmul.operands import nothing_to_add, product_of
from warpbook.kernels.tensor_map import fits, tensor_map

LANGUAGE = "cuda"
EXPECTED_GAIN = 2.2
UNIT = "tf32 matrix"
TIMES = 3

TILE, DEPTH = 128, 32  # results a side of a block's tile, and k of a stage
STAGES = 4
CHAIN = 4  # stages
LEAST = 32  # of every size: a smaller product wastes most of a tile, and is quick anyway
THREADS = 384
LINE = 32  # numbers of a line of memory


@cache
def multiprocessors(device: int) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


def in_rows(matrix):
    """Itself if the copy engine can read its rows, else a copy that it can."""
    if fits(matrix):
        return matrix
    rows, columns = matrix.shape
    room = matrix.new_empty(rows, cdiv(columns, LINE) * LINE)
    return room[:, :columns].copy_(matrix)


def split(b, odd):
    """Twice [n, k]: the high and the low halves of B's columns."""
    k, n = b.shape
    pitch = cdiv(k, LINE) * LINE
    high, low = b.new_empty(2, n, pitch)[:, :, :k]
    run = kernel(__file__, "split", b.stride(0) <= b.stride(1))
    run(cdiv(k, 64) * cdiv(n, 64), 256, b, high, low, odd, n, k, pitch, *b.stride())
    return high, low


def multiply(a, high, low, c, odd, cluster, chain=CHAIN):
    (m, k), n = a.shape, len(high)
    box = (TILE // cluster, DEPTH)
    maps = (tensor_map(a, (TILE, DEPTH)), tensor_map(high, box), tensor_map(low, box))
    tiles = cdiv(m, TILE * cluster) * cdiv(n, TILE)
    blocks = cluster * min(tiles, multiprocessors(a.get_device()) // cluster)
    run = kernel(__file__, "product", cluster, STAGES, chain).in_clusters(cluster)
    room = 1024 + STAGES * 3 * TILE * DEPTH * 4
    run(blocks, THREADS, *maps, c, odd, m, n, k, *c.stride(), shared=room)


def plain(a, b, c, odd=None):
    """In float32: everything, or, with the mark in `odd`, what is not finite."""
    (m, k), n = a.shape, b.shape[1]
    tiles = cdiv(m, 64) * cdiv(n, 64)
    blocks = tiles if odd is None else min(tiles, 2 * multiprocessors(a.get_device()))
    strides = (*a.stride(), *b.stride(), *c.stride())
    kernel(__file__, "plain", odd is None)(blocks, 256, a, b, c, odd, m, n, k, *strides)


def matmul(a, b, out=None):
    c = product_of(a, b, out)
    if nothing_to_add(a, b, c):
        return c
    if min(*c.shape, len(b)) < LEAST:
        plain(a, b, c)
        return c
    odd = torch.empty(1, dtype=torch.int32, device=a.device)
    high, low = split(b, odd)
    multiply(in_rows(a), high, low, c, odd, 2 if len(a) > TILE else 1)
    plain(a, b, c, odd)
    return c
