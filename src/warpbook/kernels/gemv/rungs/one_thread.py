"""One thread a row, in CUDA C++

The loop as one would write it for a single processor: a thread walks along its row and adds up. Its
neighbours walk along theirs, so the 32 threads of a warp ask for 32 places that are a row apart,
and of each 32 bytes that memory sends, 4 or 2 are used at once. The rest is used if the L1 still
has it by then. A matrix of 4096 rows has 4096 threads, one in sixty of what the device holds, and
each waits for memory every few additions.
"""

from warpbook.kernels.cuda import cdiv, kernel

LANGUAGE = "cuda"

THREADS = 64


def gemv(matrix, vector, out=None):
    rows, columns = matrix.shape
    out = matrix.new_empty(rows) if out is None else out
    if rows:
        steps = (*matrix.stride(), vector.stride(0), out.stride(0))
        run = kernel(__file__, "gemv", matrix.dtype)
        run(cdiv(rows, THREADS), THREADS, matrix, vector, out, rows, columns, *steps)
    return out
