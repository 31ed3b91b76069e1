"""The timed call itself: a closure over what it calls, bound when it is made, before a candidate
is imported. And the poison that outputs are filled with.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

# Elements that torch splits over all its threads: adding to them wakes the threads, and brings
# back the code that the flush drove out of the caches, so that a call's own work is what is timed.
SPARK = 2**16
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
    spark, strike = torch.zeros(SPARK if not on_gpu else 0), torch.Tensor.add_

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
        strike(spark, 1)
        wall_began, began = wall(), clock()
        result = function(*arguments, **keywords)
        synchronize()
        ended = clock() if on_gpu else settle(clock())
        return Timed(result, began, ended, wall_began, wall())

    return window
