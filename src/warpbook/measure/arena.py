"""Memory that the judge and a child both see: a memfd on the CPU, CUDA IPC on a GPU.

A tensor in it travels as a `Place`: an offset, a shape, strides and a dtype. The child makes each
place a storage of its own, so that a compiler sees no aliasing where there is none.
"""

import contextlib
import mmap
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from warpbook.measure.driver import open_shared, share

ALIGNMENT = 256
SLACK = 64 * 1024
SETS = 4
MADV_POPULATE_WRITE = 23


@dataclass(frozen=True)
class Place:
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str

    @property
    def span(self) -> int:
        """Bytes from the first element to the end of the last."""
        return span_bytes(self.shape, self.stride, getattr(torch, self.dtype).itemsize)


def span_bytes(shape: Sequence[int], stride: Sequence[int], itemsize: int) -> int:
    if 0 in shape:
        return 0
    return (sum((n - 1) * s for n, s in zip(shape, stride, strict=True)) + 1) * itemsize


class Arena:
    """The judge's side: owns the memory."""

    def __init__(self, device: str, size: int) -> None:
        self.device = device
        self.size = size
        if device == "cuda":
            self.memory = torch.empty(size, dtype=torch.uint8, device="cuda")
            return
        self._fd = os.memfd_create("warpbook-arena")
        os.ftruncate(self._fd, size)
        self.memory = torch.frombuffer(mmap.mmap(self._fd, size), dtype=torch.uint8)
        self.memory.zero_()

    def ticket(self) -> dict[str, Any]:
        """What a child needs to attach."""
        if self.device == "cuda":
            handle, offset = share(self.memory.data_ptr())
            return {"size": self.size, "handle": handle.hex(), "offset": offset}
        return {"size": self.size, "path": f"/proc/{os.getpid()}/fd/{self._fd}"}

    def tensor(self, place: Place) -> torch.Tensor:
        return view(self.memory[place.offset : place.offset + place.span], place)

    def close(self) -> None:
        if self.device != "cuda":
            os.close(self._fd)


def view(memory: torch.Tensor, place: Place) -> torch.Tensor:
    typed = memory.view(getattr(torch, place.dtype))
    return typed.as_strided(place.shape, place.stride)


class Ring:
    """A workload's arguments and outputs, `SETS` times over, each at a new offset each round."""

    def __init__(self, arena: Arena, likes: Sequence[torch.Tensor]) -> None:
        self.arena = arena
        self._likes = [(tuple(t.shape), tuple(t.stride()), name_of(t.dtype)) for t in likes]
        self._regions = [region_bytes(t) for t in likes]
        self._turn = secrets.randbelow(SETS)

    @staticmethod
    def size(likes: Sequence[torch.Tensor]) -> int:
        return SETS * sum(region_bytes(t) for t in likes)

    def places(self) -> list[Place]:
        """The next set, its tensors at offsets that cannot be foreseen."""
        self._turn = (self._turn + 1) % SETS
        start = self._turn * sum(self._regions)
        places = []
        for (shape, stride, dtype), region in zip(self._likes, self._regions, strict=True):
            offset = start + ALIGNMENT * secrets.randbelow(SLACK // ALIGNMENT)
            places.append(Place(offset, shape, stride, dtype))
            start += region
        return places


def region_bytes(like: torch.Tensor) -> int:
    span = span_bytes(like.shape, like.stride(), like.dtype.itemsize)
    return -(-span // ALIGNMENT) * ALIGNMENT + SLACK


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


class Window:
    """The child's side of an arena."""

    def __init__(self, device: str, ticket: dict[str, Any]) -> None:
        self.device = device
        self.size = int(ticket["size"])
        if device == "cuda":
            self._address = open_shared(bytes.fromhex(ticket["handle"]), ticket["offset"])
            return
        fd = os.open(ticket["path"], os.O_RDWR)
        try:
            self._memory = mmap.mmap(fd, self.size)
            # A page fault inside a timed call would be charged to the rung. MAP_POPULATE does not
            # do: it maps shared pages for reading, and the first write to each still faults.
            with contextlib.suppress(OSError):  # Linux before 5.14
                self._memory.madvise(MADV_POPULATE_WRITE)
        finally:
            os.close(fd)

    def tensor(self, place: Place) -> torch.Tensor:
        if place.span == 0:
            dtype = getattr(torch, place.dtype)
            return torch.empty(place.shape, dtype=dtype, device=self.device)
        if self.device == "cuda":
            memory = torch.as_tensor(Bytes(self._address + place.offset, place.span), device="cuda")
            return view(memory, place)
        memory = torch.frombuffer(
            self._memory, dtype=torch.uint8, count=place.span, offset=place.offset
        )
        return view(memory, place)


class Bytes:
    """Device memory at an address, as torch.as_tensor takes it."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }
