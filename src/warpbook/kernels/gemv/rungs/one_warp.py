"""One warp a row

The 32 threads of a warp take 32 neighbouring columns at a time, and one load of the warp is 128
bytes in a row (64 in 16 bits): everything that memory sends is used, the matrix crosses memory
once, and there are 32 times as many threads as rows. At the end five shuffles add up the 32 sums
without a word through memory. A load of 4 or 2 bytes a thread is small, though, and the loop has
few of them on their way: half of the bandwidth, perhaps.
"""

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"
EXPECTED_GAIN = 1.5

THREADS = 256


def gemv(matrix, vector, out=None):
    rows, columns = matrix.shape
    out = matrix.new_empty(rows) if out is None else out
    if rows:
        steps = (*matrix.stride(), vector.stride(0), out.stride(0))
        run = kernel(__file__, "gemv", matrix.dtype)
        run(cdiv(rows, THREADS // 32), THREADS, matrix, vector, out, rows, columns, *steps)
    return out
