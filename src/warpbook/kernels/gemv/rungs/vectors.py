"""16 bytes a load, four on their way

A lane loads 16 bytes at a time, and four of them leave before it waits for the first: a warp then
has 2 KB on their way where *one_warp* had 128 bytes at a time, and issues a quarter of the
instructions in float32, an eighth in 16 bits. The vector is the same for all rows, so the L1 has it
after the first. Rows that start or end off a multiple of 16 bytes go one element at a time.
"""

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.1

BATCH = 4
THREADS = 256


def gemv(matrix, vector, out=None):
    rows, columns = matrix.shape
    out = matrix.new_empty(rows) if out is None else out
    matrix = matrix if matrix.stride(1) == 1 else matrix.contiguous()
    vector = vector.contiguous()
    width = 16 // matrix.element_size()
    if (matrix.data_ptr() | vector.data_ptr()) % 16 or (matrix.stride(0) | columns) % width:
        width = 1
    if rows:
        steps = (matrix.stride(0), out.stride(0))
        run = kernel(__file__, "gemv", matrix.dtype, width, BATCH)
        run(cdiv(rows, THREADS // 32), THREADS, matrix, vector, out, rows, columns, *steps)
    return out
