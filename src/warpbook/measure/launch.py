"""One kernel as it was launched: its size, and what each of its threads and blocks takes.

Reads the records of torch's profiler. Knows nothing of processes, problems or counters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from warpbook.measure.occupancy import Limits, Occupancy, occupancy

COPIES = ("gpu_memcpy", "gpu_memset")
NAMELESS = "(anonymous namespace)::"


@dataclass(frozen=True)
class Loaded:
    """What only the loaded kernel tells: bytes of local memory a thread, where registers that do
    not fit are spilled to, and the shared memory that it declares itself."""

    local_bytes: int
    static_shared_bytes: int | None = None


@dataclass(frozen=True)
class Launch:
    """`shared_bytes` is all of a block's. What is None is not known: torch's own kernels do not
    tell it."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    registers: int
    shared_bytes: int
    static_shared_bytes: int | None
    local_bytes: int | None
    device_us: float
    occupancy: Occupancy

    @property
    def blocks(self) -> int:
        return prod(self.grid)


@dataclass(frozen=True)
class Replayed:
    """What one call did on the device: kernels in order, and beside them copies and fills, of
    which only the time is known."""

    launches: tuple[Launch, ...]
    copies_us: tuple[float, ...]
    limits: Limits


def replayed(
    trace: Mapping[str, Any], loaded: Mapping[tuple[str, int], Loaded], limits: Limits
) -> Replayed:
    """From a Chrome trace, and the loaded kernels by name and registers handed out."""
    events = [e for e in trace["traceEvents"] if e.get("ph") == "X"]
    kernels = sorted((e for e in events if e.get("cat") == "kernel"), key=lambda e: float(e["ts"]))
    copies_us = (float(e["dur"]) for e in events if e.get("cat") in COPIES)
    launches = (launch(e, loaded, limits) for e in kernels)
    return Replayed(tuple(launches), tuple(copies_us), limits)


def launch(
    event: Mapping[str, Any], loaded: Mapping[tuple[str, int], Loaded], limits: Limits
) -> Launch:
    facts = event["args"]
    name, registers = str(event["name"]), int(facts["registers per thread"])
    shared_bytes = int(facts["shared memory"])
    block = tuple(int(n) for n in facts["block"])
    known = loaded.get((short_name(name), handed_out(registers)))
    return Launch(
        kernel=short_name(name),
        grid=tuple(int(n) for n in facts["grid"]),
        block=block,
        registers=registers,
        shared_bytes=shared_bytes,
        static_shared_bytes=known.static_shared_bytes if known else None,
        local_bytes=known.local_bytes if known else None,
        device_us=float(event["dur"]),
        occupancy=occupancy(block, registers, shared_bytes, limits),
    )


def handed_out(registers: int) -> int:
    """A thread's registers come eight at a time; some tools count those, others the ones in use."""
    return -(-registers // 8) * 8


def short_name(demangled: str) -> str:
    """Without its return type, its parameters and the namespaces around it:
    `void at::native::add<float, 4>(float const*)` is `add<float, 4>`."""
    name = demangled.replace(NAMELESS, "")
    depth, begin, end = 0, 0, len(name)
    for position, character in enumerate(name):
        if character == "<":
            depth += 1
        elif character == ">":
            depth -= 1
        elif depth == 0 and character in " :":
            begin = position + 1
        elif depth == 0 and character == "(":
            end = position
            break
    return name[begin:end]


def base_name(kernel: str) -> str:
    """Without template arguments, which no two tools write alike."""
    return short_name(kernel).partition("<")[0]
