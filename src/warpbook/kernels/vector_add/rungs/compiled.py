"""torch.compile

The compiler sees one addition and writes one pass over memory, as torch.add already does. There is
nothing to fuse and nothing to gain; the rung is here to show that.

Small vectors share one kernel that takes their sizes as arguments, since compiling takes about a
second. From 2^18 elements each shape is compiled by itself.
"""

import os
import shutil
import sysconfig
from pathlib import Path

import torch
import torch._dynamo

LANGUAGE = "torch"
EXPECTED_GAIN = 1.0

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
def add_any(a, b, out):
    out.copy_(a + b)


@torch.compile(dynamic=False)
def add_this(a, b, out):
    out.copy_(a + b)


def vector_add(a, b, out=None):
    out = torch.empty_like(a, memory_format=torch.contiguous_format) if out is None else out
    add = add_any if a.numel() < SMALL else add_this
    # A copy where elements are apart, so that one kernel serves every layout.
    add(a.contiguous(), b.contiguous(), out)
    return out
