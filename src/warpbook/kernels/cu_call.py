"""Compiling a rung that is one CUDA C++ file, and calling it as a rung's function is called.

The kernel gets the inputs in order (a tensor as a pointer to contiguous elements, one that is left
away as a null pointer, an int or a bool as a `long long`, a float as a `float`), then the outputs,
then the workload's sizes as `long long`.
"""

import ctypes
import importlib.util
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from warpbook.core.errors import BadInput
from warpbook.core.workload import Workload
from warpbook.kernels.cu_file import CuFile
from warpbook.kernels.cuda import Kernel, architecture, compiled, driver, require
from warpbook.kernels.problem import Argument, Problem, as_list

MOST_SHARED = 97  # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN


class CuFunctions:
    """The file's function for each workload, its kernels loaded once."""

    def __init__(self, file: CuFile, mutates: Sequence[int]) -> None:
        self.file = file
        self.mutates = tuple(mutates)
        self._kernels: dict[str, Kernel] = {}

    def at(self, shape: tuple[int, ...], dtype: str) -> Callable[..., None]:
        launch = self.file.launch(shape)
        self._refuse_too_much(launch.shared)
        kernel = self._kernel(self.file.expression(dtype))

        def call(*arguments: Argument, out: Any = None) -> None:
            given = [passed(argument) for argument in arguments]
            outputs = [] if out is None else as_list(out)
            kernel(launch.grid, launch.block, *given, *outputs, *shape, shared=launch.shared)
            for index in self.mutates:
                if given[index] is not arguments[index]:
                    arguments[index].copy_(given[index])  # type: ignore[union-attr, arg-type]

        return call

    def _kernel(self, expression: str) -> Kernel:
        if expression not in self._kernels:
            symbol, cubin = compile_file(self.file, expression, architecture())
            self._kernels[expression] = Kernel(symbol, cubin)
        return self._kernels[expression]

    def _refuse_too_much(self, shared: int) -> None:
        most = ctypes.c_int()
        device = torch.cuda.current_device()
        require(driver().cuDeviceGetAttribute(ctypes.byref(most), MOST_SHARED, device))
        if shared > most.value:
            raise BadInput(
                f"{self.file.path}:1: shared is {shared} bytes, "
                f"and a block has at most {most.value} here"
            )


def passed(argument: Argument) -> torch.Tensor | int | float:
    if isinstance(argument, torch.Tensor):
        return argument.contiguous()
    if argument is None:
        return 0
    return int(argument) if isinstance(argument, bool) else argument


def compile_file(file: CuFile, expression: str, arch: str) -> tuple[str, bytes]:
    try:
        return compiled(file.path, expression, arch, toolkit_headers())
    except BadInput as error:
        # Where the compiler puts what is wrong with the kernel's name or its template parameters.
        raise BadInput(
            str(error).replace("__nv_name_map:2:", f"{file.path}:{file.line}:")
        ) from None


def refuse_mistakes(
    file: CuFile, problem: Problem, workloads: Iterable[Workload], arch: str
) -> None:
    """Raise BadInput for what can be told without running it: how many parameters the kernel has,
    a launch that no GPU could make, and what does not compile."""
    check_parameters(file, problem)
    mine = [workload for workload in workloads if workload.dtype in file.dtypes]
    for workload in mine:
        file.launch(workload.shape)
    for dtype in dict.fromkeys(workload.dtype for workload in mine):
        compile_file(file, file.expression(dtype), arch)


def check_parameters(file: CuFile, problem: Problem) -> None:
    smallest = min(problem.workloads, key=lambda workload: math.prod(workload.shape))
    arguments = problem.inputs(smallest, torch.Generator().manual_seed(0))
    outputs = 0 if problem.mutates else len(problem.expected(arguments, torch.float32))
    if file.parameters != len(arguments) + outputs + len(file.sizes):
        parts = [counted(len(arguments), "input"), counted(outputs, "output"), *file.sizes]
        raise BadInput(
            f"{file.path}:{file.line}: {file.kernel} has {counted(file.parameters, 'parameter')} "
            f"and is given {', '.join(part for part in parts if part)}"
        )


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


@cache
def toolkit_headers() -> tuple[Path, ...]:
    """The folder with the CUDA toolkit's headers, where there is one: that of an installation, or
    the copy that Triton brings."""
    try:
        from cuda.pathfinder import find_nvidia_header_directory

        if found := find_nvidia_header_directory("cudart"):
            return (Path(found),)
    except ImportError:
        pass
    triton = importlib.util.find_spec("triton")
    folder = Path(triton.origin or "").parent / "backends/nvidia/include" if triton else None
    return (folder,) if folder and (folder / "cuda_bf16.h").is_file() else ()
