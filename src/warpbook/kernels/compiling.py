"""torch.compile as rungs use it: small inputs share kernels, large ones get their own.

Knows nothing of what is compiled.
"""

import os
import shutil
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
import torch._dynamo

SMALL = 2**18

# Past its limit of recompilations, which is 8, the compiler quietly runs the function as it is.
torch._dynamo.config.recompile_limit = 10_000
torch._dynamo.config.accumulated_recompile_limit = 10_000


def unavailable() -> str | None:
    compilers = (os.environ.get("CXX") or "c++", "g++", "clang++")
    if not any(map(shutil.which, compilers)):
        return "torch.compile needs a C++ compiler, and there is none here; install g++ or clang++"
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        return "torch.compile needs Python's headers (Python.h), and they are not installed here"
    return None


def by_size(function: Callable[..., Any]) -> Callable[..., None]:
    """`function`, which fills buffers among its arguments, compiled.

    Compiling takes seconds, so a first argument of few elements runs a kernel that takes sizes as
    arguments. From 2^18 elements each shape is compiled by itself: a kernel for any shape has been
    seen to take five times as long. The compiler keeps what it has compiled by code object, and
    would find the kernel for any shape for the large ones too, so these get a twin of the code.
    """
    assert isinstance(function, FunctionType)
    twin = FunctionType(function.__code__.replace(), function.__globals__, function.__name__)
    for_any = torch.compile(function, dynamic=True)
    for_this = torch.compile(twin, dynamic=False)

    def run(first: torch.Tensor, *others: Any) -> None:
        (for_any if first.numel() < SMALL else for_this)(first, *others)

    return run
