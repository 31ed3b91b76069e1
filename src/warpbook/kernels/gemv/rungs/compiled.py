"""torch.compile

The compiler fuses widening, products and sums into one kernel for this very shape, which reads the
matrix once and keeps the products in registers. The library below it does the same by hand; for
rows of a few thousand columns the compiler's choice of blocks may be a little better.

Small matrices share kernels that take their sizes as arguments, since compiling takes about a
second. From 2^18 elements each shape is compiled by itself: a kernel for any shape has been seen to
take five times as long.
"""

import os
import shutil
import sysconfig
from pathlib import Path

import torch
import torch._dynamo

LANGUAGE = "torch"
EXPECTED_GAIN = 1.05

SMALL = 2**18

# Past its limit of recompilations, which is 8, the compiler quietly runs the function as it is.
torch._dynamo.config.recompile_limit = 10_000
torch._dynamo.config.accumulated_recompile_limit = 10_000


def unavailable():
    compilers = (os.environ.get("CXX") or "c++", "g++", "clang++")
    if not any(map(shutil.which, compilers)):
        return "torch.compile needs a C++ compiler, and there is none here; install g++ or clang++"
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        return "torch.compile needs Python's headers (Python.h), and they are not installed here"
    return None


# Two functions, because the compiler keeps what it has compiled by function: a kernel for any
# shape would be found, and used, for the large ones too.
@torch.compile(dynamic=True)
def gemv_any(matrix, vector, out):
    out.copy_((matrix.float() * vector.float()).sum(dim=-1))


@torch.compile(dynamic=False)
def gemv_this(matrix, vector, out):
    out.copy_((matrix.float() * vector.float()).sum(dim=-1))


def gemv(matrix, vector, out=None):
    out = matrix.new_empty(len(matrix)) if out is None else out
    run = gemv_any if matrix.numel() < SMALL else gemv_this
    # A copy where columns are apart: a kernel for such a layout would read memory no better.
    run(matrix.contiguous(), vector.contiguous(), out)
    return out
