"""Measuring a CPU's roofs, in under two seconds.

The best round counts: whatever else runs on the machine only ever adds time.
"""

import time
from collections.abc import Callable
from typing import Any

import torch

from warpbook.measure.device import device_facts
from warpbook.measure.flush import TIMES_THE_CACHE

SMALLEST_BYTES = 256 * 2**20
ROUNDS = 3
CALLS = 200


def measure_cpu(progress: Callable[[str], None]) -> dict[str, Any]:
    progress("memory bandwidth")
    bandwidths = memory_bandwidths()
    progress("matrix rates")
    # float32 alone: a virtual machine may announce a matrix unit for bfloat16 and then trap on its
    # instructions, which would end this process.
    rates = {"fp32": max(map(matrix_rate, (1024, 2048)))}
    progress("launch cost")
    return {**bandwidths, "rates": rates, "launch_us": launch_us()}


def memory_bandwidths() -> dict[str, float]:
    """Over four times the last-level cache, so that each pass finds its data gone from there."""
    facts = device_facts("cpu")
    size_bytes = max(TIMES_THE_CACHE * facts.cache_bytes, SMALLEST_BYTES)
    half = min(size_bytes, facts.memory_bytes // 4) // 8
    buffer = torch.ones(2 * half, dtype=torch.float32)
    source, target = buffer[:half], buffer[half:]
    total = torch.empty((), dtype=torch.float32)
    seconds = {
        "copy": best_s(lambda: target.copy_(source)),
        "read": min(
            best_s(lambda: torch.sum(buffer, dim=0, out=total)),
            best_s(lambda: torch.dot(buffer, buffer, out=total)),
        ),
        "write": min(best_s(lambda: buffer.fill_(1.0)), best_s(buffer.zero_)),
    }
    return {f"{way}_bytes_per_s": buffer.nbytes / taken for way, taken in seconds.items()}


def matrix_rate(size: int) -> float:
    """Operations a second of a square product."""
    a, b, out = torch.randn(size, size), torch.randn(size, size), torch.empty(size, size)
    return 2 * size**3 / best_s(lambda: torch.mm(a, b, out=out))


def launch_us() -> float:
    """The least a call of torch costs: one element is filled."""
    one = torch.zeros(1)

    def calls() -> None:
        for _ in range(CALLS):
            one.fill_(1.0)

    return best_s(calls) / CALLS * 1e6


def best_s(call: Callable[[], object]) -> float:
    call()
    taken = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return min(taken)
