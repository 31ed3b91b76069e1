"""A rung run again by itself, for tools that look on from outside:

    python -m warpbook.measure.replay PROBLEM RUNG WORKLOAD... [--report FILE | --exact]

It draws inputs, warms up, and makes one call of each workload between the start and the stop of
CUDA's profiler, so that `ncu --profile-from-start off` sees that call alone. `--report` looks on
itself and writes what was launched. `--exact` is for compute-sanitizer: inputs come from the host,
so that no kernel but the rung's own runs, each in memory of just its size.

Nothing here is judged or timed.
"""

import argparse
import ctypes
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import torch

from warpbook.core.codec import encode
from warpbook.core.errors import BadInput, WarpbookError
from warpbook.core.workload import Workload
from warpbook.kernels.cu_call import CuFunctions
from warpbook.kernels.cuda import Kernel
from warpbook.kernels.problem import Argument, Problem
from warpbook.kernels.rung import read_cu_file
from warpbook.kernels.shelf import import_file, load_problem
from warpbook.measure.arena import span_bytes
from warpbook.measure.child import describe, out_parameter
from warpbook.measure.driver import driver, require
from warpbook.measure.flush import Flusher
from warpbook.measure.kernel_clock import KernelClock
from warpbook.measure.launch import Loaded, Replayed, handed_out, replayed, short_name
from warpbook.measure.occupancy import Limits
from warpbook.measure.rerun import BEGIN, FAILED
from warpbook.measure.stage import outputs_for

WARM_UP = 3
SEED = 0
SETTLE_S = 0.05  # for a tool's own lines about one workload to come before the next one's

# Of the CUDA driver: attributes of a device, and of a kernel.
MULTIPROCESSORS, THREADS, SHARED, REGISTERS, BLOCKS, RESERVED_SHARED = 16, 39, 81, 82, 106, 111
STATIC_SHARED_BYTES, LOCAL_BYTES, KERNEL_REGISTERS = 1, 3, 4

Function: TypeAlias = Callable[..., Any]
Call: TypeAlias = Callable[[], Any]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="warpbook.measure.replay")
    parser.add_argument("problem")
    parser.add_argument("rung", type=Path)
    parser.add_argument("workloads", nargs="+")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--exact", action="store_true")
    asked = parser.parse_args(words)
    problem = load_problem(asked.problem)
    function_for = load_function(asked.rung, problem)
    failed = 0
    for name in asked.workloads:
        workload = problem.workload(name)
        if workload is None:
            raise BadInput(f"{problem.name} has no workload {name!r}")
        print(BEGIN, name, flush=True)
        try:
            replay(problem, workload, function_for(workload), asked.report, asked.exact)
        except Exception as error:
            print(f"{FAILED} {name}: {describe(error)}", flush=True)
            failed += 1
    return 1 if failed else 0


def replay(
    problem: Problem, workload: Workload, function: Function, report: Path | None, exact: bool
) -> None:
    if exact:
        exact_call(problem, workload, function)()
        torch.cuda.synchronize()
        time.sleep(SETTLE_S)
        return
    call = drawn_call(problem, workload, function)
    for _ in range(WARM_UP):
        call()
    torch.cuda.synchronize()
    if report is None:
        profiled(call)
    else:
        report.write_text(json.dumps(encode(traced(call))))


def load_function(path: Path, problem: Problem) -> Callable[[Workload], Function]:
    """The rung's function, from its file; that of a `.cu` is another for each workload."""
    if path.suffix == ".cu":
        file = read_cu_file(path, problem.name, problem.sizes)
        functions = CuFunctions(file, problem.mutates)
        return lambda workload: functions.at(workload.shape, workload.dtype)
    sys.path.insert(0, str(path.parent))
    function: Function = getattr(import_file("candidate", path), problem.name)
    return lambda _: function


def drawn_call(problem: Problem, workload: Workload, function: Function) -> Call:
    """With inputs drawn on the GPU, as the judge draws them."""
    arguments = problem.inputs(workload, torch.Generator(device="cuda").manual_seed(SEED))
    return bound(function, arguments, outputs_for(problem, workload, arguments))


def exact_call(problem: Problem, workload: Workload, function: Function) -> Call:
    """With inputs drawn on the host and copied as they lie, so that one element past the last is
    already out of bounds."""
    drawn = problem.inputs(workload, torch.Generator(device="cpu").manual_seed(SEED))
    arguments = [laid(a) if isinstance(a, torch.Tensor) else a for a in drawn]
    return bound(function, arguments, outputs_for(problem, workload, drawn))


def laid(tensor: torch.Tensor) -> torch.Tensor:
    """The same shape and strides on the GPU, in an allocation that ends with the last element."""
    length = span_bytes(tensor.shape, tensor.stride(), tensor.element_size())
    host = torch.zeros(length // tensor.element_size(), dtype=tensor.dtype)
    if tensor.numel():
        host.as_strided(tensor.shape, tensor.stride()).copy_(tensor)
    return host.cuda().as_strided(tensor.shape, tensor.stride())


def bound(function: Function, arguments: Sequence[Argument], likes: list[torch.Tensor]) -> Call:
    keywords: dict[str, Any] = {}
    outputs = [torch.empty_like(y, device="cuda") for y in likes]
    if outputs and out_parameter(function):
        keywords["out"] = tuple(outputs) if len(outputs) > 1 else outputs[0]
    return lambda: function(*arguments, **keywords)


def profiled(call: Call) -> None:
    runtime = torch.cuda.cudart()  # type: ignore[no-untyped-call]
    runtime.cudaProfilerStart()
    call()
    torch.cuda.synchronize()
    runtime.cudaProfilerStop()


def traced(call: Call) -> Replayed:
    """The caches are cold, as they are for the judge."""
    clock = KernelClock()
    clock.start()  # its first start takes long
    clock.stop()
    Flusher("cuda").flush()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        clock.start()
        call()
        torch.cuda.synchronize()
        clock.save(str(file))
        trace = json.loads(file.read_text())
    return replayed(trace, loaded_kernels(), limits())


def loaded_kernels() -> dict[tuple[str, int], Loaded]:
    """Those of Triton and of CUDA C++ in this process, by their names and registers: one name may
    stand for several that were compiled for different arguments."""
    found: dict[tuple[str, int], Loaded] = {}
    for thing in gc.get_objects():
        if isinstance(thing, Kernel):
            name, registers, loaded = of_kernel(thing)
            found[name, handed_out(registers)] = loaded
        elif type(thing).__name__ == "CompiledKernel":
            spilled = getattr(thing, "n_spills", None)  # in words; absent until it is loaded
            if spilled is not None:
                found[thing.name, handed_out(thing.n_regs)] = Loaded(4 * spilled)
    return found


def of_kernel(kernel: Kernel) -> tuple[str, int, Loaded]:
    handle, name = ctypes.c_void_p(kernel.handle), ctypes.c_char_p()
    require(driver().cuKernelGetName(ctypes.byref(name), handle))
    demangled = torch._C._demangle((name.value or b"").decode())

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        require(driver().cuKernelGetAttribute(ctypes.byref(value), number, handle, device()))
        return value.value

    loaded = Loaded(attribute(LOCAL_BYTES), attribute(STATIC_SHARED_BYTES))
    return short_name(demangled), attribute(KERNEL_REGISTERS), loaded


@cache
def device() -> ctypes.c_int:
    found = ctypes.c_int()
    require(driver().cuDeviceGet(ctypes.byref(found), torch.cuda.current_device()))
    return found


def limits() -> Limits:
    def attribute(number: int) -> int:
        value = ctypes.c_int()
        require(driver().cuDeviceGetAttribute(ctypes.byref(value), number, device()))
        return value.value

    return Limits(
        multiprocessors=attribute(MULTIPROCESSORS),
        threads=attribute(THREADS),
        blocks=attribute(BLOCKS),
        registers=attribute(REGISTERS),
        shared_bytes=attribute(SHARED),
        reserved_shared_bytes=attribute(RESERVED_SHARED),
    )


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except WarpbookError as error:
        sys.exit(f"{FAILED} load: {error}")
