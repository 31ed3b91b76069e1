"""Measuring a GPU's roofs, in a few seconds: each is the best of several ways and sizes.

Times are the device's own, from first kernel start to last kernel end, with L2 cold and clean: the
same clock and the same start that a rung is timed with.
"""

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import torch

from warpbook.core.errors import Missing
from warpbook.measure.flush import Flusher
from warpbook.measure.kernel_clock import Activity, KernelClock

# Writes are long ones only: what still sits in L2 at the end is not paid for, and makes a short
# write look faster than memory is.
STREAM_BYTES = {"copy": (2**28, 2**30), "read": (2**28, 2**30), "write": (2**30,)}
SMALL_BYTES = 2**26  # where memory is nearly full
# Elements and warps of one Triton program; read_kernel takes this many blocks in turn.
BLOCKS = ((1024, 4), (4096, 8))
READ_STEPS = 8

MATRIX_SIZES = (2048, 4096, 8192)
# The dtype of the operands, and the least compute capability whose matrix unit has it.
MATRICES = {
    "fp32": (torch.float32, (0, 0)),
    "fp64": (torch.float64, (0, 0)),
    "tf32 matrix": (torch.float32, (8, 0)),
    "bf16 matrix": (torch.bfloat16, (8, 0)),
    "fp16 matrix": (torch.float16, (7, 0)),
    "fp8 matrix": (torch.float8_e4m3fn, (8, 9)),
}
# A product longer than this is not measured: fp64 on a GPU without units for it.
LONGEST_S = 0.05

ROUNDS = 9
# Idle time on both sides of a window's two ends, far above the error between the two clocks.
GAP_S = 1e-4

Launch: TypeAlias = Callable[[], object]


class Stopwatch:
    """Device seconds of a launch: the median over rounds, each after a flush."""

    def __init__(self) -> None:
        self._flusher = Flusher("cuda")

    def seconds(self, launch: Launch, cold: bool = True) -> float:
        launch()
        torch.cuda.synchronize()
        windows = []
        clock = KernelClock()
        clock.start()
        for _ in range(ROUNDS):
            if cold:
                self._flusher.flush()
            time.sleep(GAP_S)
            begin_ns = time.time_ns()
            time.sleep(GAP_S)
            launch()
            torch.cuda.synchronize()
            time.sleep(GAP_S)
            windows.append((begin_ns, time.time_ns()))
            time.sleep(GAP_S)
        activities = clock.stop()
        return statistics.median(span_s(activities, *window) for window in windows)


def span_s(activities: Sequence[Activity], begin_ns: int, end_ns: int) -> float:
    """First start to last end of what began inside the window."""
    inside = [a for a in activities if begin_ns <= a.start_ns < end_ns]
    if not inside:
        raise Missing("the GPU's own clock gave no time for a kernel: CUPTI does not work here")
    return (max(a.end_ns for a in inside) - min(a.start_ns for a in inside)) / 1e9


def measure_cuda(progress: Callable[[str], None]) -> dict[str, Any]:
    stopwatch = Stopwatch()
    kernels = triton_kernels(progress)
    measured: dict[str, Any] = {"rates": {}}
    for way, sizes in STREAM_BYTES.items():
        progress(f"{way} bandwidth")
        rates = [stream_rate(stopwatch, way, size, kernels) for size in fitting(sizes)]
        measured[f"{way}_bytes_per_s"] = max(rates)
    capability = torch.cuda.get_device_capability(0)
    for unit, (dtype, least) in MATRICES.items():
        if capability >= least:
            progress(f"{unit} rate")
            measured["rates"][unit] = matrix_rate(stopwatch, unit, dtype)
    progress("launch cost")
    measured["launch_us"] = launch_us(stopwatch, kernels)
    torch.cuda.empty_cache()  # what was used here is free again for what is measured next
    return measured


def triton_kernels(progress: Callable[[str], None]) -> Any:
    """The module of Triton kernels, or None where Triton cannot build (it needs a C compiler)."""
    try:
        from warpbook.measure import stream_kernels

        stream_kernels.empty_kernel[(1,)]()
    except Exception as error:
        progress(f"Triton does not run here, so torch alone is measured: {error}")
        return None
    return stream_kernels


def fitting(sizes: Sequence[int]) -> Sequence[int]:
    free_bytes, _ = torch.cuda.mem_get_info()
    return [size for size in sizes if size <= free_bytes // 4] or [SMALL_BYTES]


def stream_rate(stopwatch: Stopwatch, way: str, size_bytes: int, kernels: Any) -> float:
    """Bytes a second of the fastest way to copy, read or write this many."""
    numel = size_bytes // 4
    source = torch.ones(numel, dtype=torch.float32, device="cuda")
    target = torch.ones_like(source)
    launches = {"copy": copy_ways, "read": read_ways, "write": write_ways}[way]
    moved = 2 * size_bytes if way == "copy" else size_bytes
    return moved / min(map(stopwatch.seconds, launches(source, target, kernels)))


def copy_ways(source: torch.Tensor, target: torch.Tensor, kernels: Any) -> Iterator[Launch]:
    yield lambda: target.copy_(source)
    for block, warps in BLOCKS if kernels else ():
        grid = (source.numel() // block,)
        yield partial(kernels.copy_kernel[grid], source, target, BLOCK=block, num_warps=warps)


def read_ways(source: torch.Tensor, target: torch.Tensor, kernels: Any) -> Iterator[Launch]:
    total = torch.empty((), dtype=torch.float32, device="cuda")
    yield lambda: torch.sum(source, dim=0, out=total)
    for block, warps in BLOCKS if kernels else ():
        grid = (source.numel() // (block * READ_STEPS),)
        yield partial(
            kernels.read_kernel[grid],
            source,
            target,
            STEPS=READ_STEPS,
            BLOCK=block,
            num_warps=warps,
        )


def write_ways(source: torch.Tensor, target: torch.Tensor, kernels: Any) -> Iterator[Launch]:
    yield lambda: target.fill_(1.0)
    for block, warps in BLOCKS if kernels else ():
        grid = (target.numel() // block,)
        yield partial(kernels.write_kernel[grid], target, BLOCK=block, num_warps=warps)


def matrix_rate(stopwatch: Stopwatch, unit: str, dtype: torch.dtype) -> float:
    """Operations a second of a square product of random numbers, at the best of the sizes (zeros
    would draw less power and look faster)."""
    rates = []
    for size in MATRIX_SIZES:
        with fp32_precision("tf32" if unit == "tf32 matrix" else "ieee"):
            taken_s = stopwatch.seconds(product(size, dtype))
        rates.append(2 * size**3 / taken_s)
        if 8 * taken_s > LONGEST_S:
            break
    return max(rates)


def product(size: int, dtype: torch.dtype) -> Launch:
    a, b = (torch.randn(size, size, device="cuda").to(dtype) for _ in range(2))
    if dtype is not torch.float8_e4m3fn:
        out = torch.empty(size, size, dtype=dtype, device="cuda")
        return lambda: torch.mm(a, b, out=out)
    one = torch.ones((), dtype=torch.float32, device="cuda")
    return lambda: torch._scaled_mm(
        a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
    )


@contextlib.contextmanager
def fp32_precision(precision: str) -> Iterator[None]:
    """How torch may multiply float32 matrices: `ieee` or `tf32`."""
    matmul: Any = torch.backends.cuda.matmul
    before = matmul.fp32_precision
    matmul.fp32_precision = precision
    try:
        yield
    finally:
        matmul.fp32_precision = before


def launch_us(stopwatch: Stopwatch, kernels: Any) -> float:
    one = torch.zeros(1, device="cuda")
    launches: list[Launch] = [lambda: one.fill_(1.0)]
    if kernels:
        launches.append(lambda: kernels.empty_kernel[(1,)]())
    return min(stopwatch.seconds(launch, cold=False) for launch in launches) * 1e6
