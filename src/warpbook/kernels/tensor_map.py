"""Tensor maps: how the copy engine of a Hopper GPU finds the tiles of a matrix in memory.

    a_map = tensor_map(a, (128, 64))    # tiles of 128 rows by 64 columns
    multiply(grid, block, a_map, b_map, c, m, n, k)

A map goes to a kernel by value, before all other arguments. Knows nothing of what is in a tile.
"""

import ctypes
from functools import lru_cache

import torch

from warpbook.kernels.cuda import bind_context, driver, require

TYPES = {torch.float16: 6, torch.float32: 7, torch.bfloat16: 9}  # CU_TENSOR_MAP_DATA_TYPE_*
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # bytes: CU_TENSOR_MAP_SWIZZLE_*
PROMOTE_TO_256_BYTES = 3  # CU_TENSOR_MAP_L2_PROMOTION_L2_256B
BYTES = 128
MOST_KEPT = 4096


def tensor_map(matrix: torch.Tensor, box: tuple[int, int], swizzle: int = 128) -> bytes:
    """Of a matrix whose neighbours in a row are neighbours in memory, in tiles of `box` rows and
    columns. A row of a swizzled tile has as many bytes as the swizzle says, or fewer."""
    pitch = matrix.stride(0) * matrix.itemsize
    place = (matrix.data_ptr(), *matrix.shape, pitch)
    return encoded(*place, matrix.dtype, box, swizzle)


def fits(matrix: torch.Tensor) -> bool:
    """Whether the copy engine can read it where it lies: rows that start at multiples of 16 bytes,
    with neighbours side by side, and something in them."""
    rows, columns = matrix.shape
    if not rows or not columns or (columns > 1 and matrix.stride(1) != 1):
        return False
    pitch = matrix.stride(0) * matrix.itemsize
    long_enough = columns * matrix.itemsize <= pitch < 2**40
    return long_enough and pitch % 16 == 0 and matrix.data_ptr() % 16 == 0


@lru_cache(MOST_KEPT)
def encoded(
    start: int,
    rows: int,
    columns: int,
    pitch: int,
    dtype: torch.dtype,
    box: tuple[int, int],
    swizzle: int,
) -> bytes:
    """The driver writes it, for threads that have a context; it holds nothing but these numbers, so
    it can be kept."""
    bind_context(torch.cuda.current_device())
    room = (ctypes.c_uint64 * (BYTES // 8 + 7))()
    target = ctypes.addressof(room) + -ctypes.addressof(room) % 64
    require(
        driver().cuTensorMapEncodeTiled(
            ctypes.c_void_p(target),
            TYPES[dtype],
            2,
            ctypes.c_void_p(start),
            (ctypes.c_uint64 * 2)(columns, rows),
            (ctypes.c_uint64 * 1)(pitch),
            (ctypes.c_uint32 * 2)(box[1], box[0]),
            (ctypes.c_uint32 * 2)(1, 1),
            0,
            SWIZZLES[swizzle],
            PROMOTE_TO_256_BYTES,
            0,
        )
    )
    return ctypes.string_at(target, BYTES)
