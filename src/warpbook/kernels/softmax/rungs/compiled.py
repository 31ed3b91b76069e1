"""torch.compile

The compiler fuses the five steps into one kernel for this very shape, reads the row once for the
largest and the sum together and once more to write, and picks blocks and warps by trying. Against
the hand-written loop below it only picks better, which is worth a little.

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
EXPECTED_GAIN = 1.1

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
def softmax_any(x, out):
    out.copy_(torch.softmax(x, dim=-1, dtype=torch.float32))


@torch.compile(dynamic=False)
def softmax_this(x, out):
    out.copy_(torch.softmax(x, dim=-1, dtype=torch.float32))


def softmax(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    run = softmax_any if x.numel() < SMALL else softmax_this
    # A copy where columns are apart: a kernel for such a layout would read memory no better.
    run(x.contiguous(), out)
    return out
