"""The timed call itself, and the copying out of what it returned.

Both are closures over what they call, bound when they are made, before a candidate is imported.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
import torch

BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def poison(tensor: torch.Tensor, noise: torch.Generator) -> None:
    """NaN; where a dtype has none, or half its patterns are, random bits."""
    if tensor.is_floating_point() and tensor.element_size() > 1:
        tensor.fill_(float("nan"))
    else:
        tensor.view(torch.uint8).random_(0, 256, generator=noise)


class Timed(NamedTuple):
    """One call: its result, and the nanoseconds of the monotonic and the real-time clock."""

    result: Any
    began: int
    ended: int
    wall_began: int
    wall_ended: int


def make_synchronize(device: str) -> Callable[[], None]:
    """Waits for all the work of all streams; on the CPU there is none to wait for."""
    return torch._C._cuda_synchronize if device == "cuda" else lambda: None


def make_window(device: str) -> Callable[..., Timed]:
    """The timed call. Its end is when all the work is done: a device-wide synchronise on a GPU;
    on the CPU the moment the process's other threads fall idle."""
    clock, wall, sleep = time.perf_counter_ns, time.time_ns, time.sleep
    process_ns, thread_ns = time.process_time_ns, time.thread_time_ns
    synchronize = make_synchronize(device)
    on_gpu = device == "cuda"

    def settle(ended: int) -> int:
        used = process_ns() - thread_ns()
        while True:
            sleep(100e-6)
            now = process_ns() - thread_ns()
            if now - used < 20_000:
                return ended
            used, ended = now, clock()

    def window(
        function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]
    ) -> Timed:
        wall_began, began = wall(), clock()
        result = function(*arguments, **keywords)
        synchronize()
        ended = clock() if on_gpu else settle(clock())
        return Timed(result, began, ended, wall_began, wall())

    return window


def make_copy_out(device: str) -> Callable[[list[torch.Tensor], list[torch.Tensor]], int]:
    """Copies results to outputs in this thread alone; answers with the nanoseconds that other
    threads of the process worked meanwhile, which for honest code is about none."""
    process_ns, thread_ns = time.process_time_ns, time.thread_time_ns
    copy, copyto, as_numpy = torch.Tensor.copy_, numpy.copyto, torch.Tensor.numpy
    view, detach = torch.Tensor.view, torch.Tensor.detach
    on_gpu = device == "cuda"

    def bits(tensor: torch.Tensor) -> Any:
        return as_numpy(view(detach(tensor), BITS[tensor.element_size()]))

    def copy_out(outputs: list[torch.Tensor], results: list[torch.Tensor]) -> int:
        began = process_ns() - thread_ns()
        for output, result in zip(outputs, results, strict=True):
            if on_gpu:
                copy(output, detach(result))
            else:
                copyto(bits(output), bits(result))
        return max(0, process_ns() - thread_ns() - began)  # two clocks, read one after the other

    return copy_out
