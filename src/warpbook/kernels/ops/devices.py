"""What is asked of a GPU: whether the kernels run on it, its name, being the current one."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import torch
from torch import Tensor

from warpbook.kernels.cuda import takes_tensor_maps


@cache
def usable(device: int) -> bool:
    """The kernels need thread-block clusters and 200 KB of shared memory a block, which NVIDIA's
    data-centre GPUs have since 9.0 (Hopper); those of 12.x have less."""
    if torch.version.cuda is None:
        return False
    return torch.cuda.get_device_capability(device)[0] in (9, 10)


@cache
def has_wgmma(device: int) -> bool:
    """Whether it has the matrix instructions of Hopper, which no later GPU has, and a driver that
    can launch the kernels that use them."""
    return torch.cuda.get_device_capability(device)[0] == 9 and takes_tensor_maps()


@cache
def slug(device: int) -> str:
    """The name of the device's files: nvidia-h200."""
    return re.sub(r"[^a-z0-9]+", "-", torch.cuda.get_device_name(device).lower()).strip("-")


def no_device() -> int:
    return -1


current: Callable[[], int] = getattr(torch._C, "_cuda_getDevice", no_device)


def at(device: int) -> AbstractContextManager[Any]:
    """The device as the current one."""
    if device == current():
        return nullcontext()
    return torch.cuda.device(device)


CONSTANTS: dict[tuple[float, int, torch.dtype, int], Tensor] = {}


def constant(value: float, columns: int, dtype: torch.dtype, device: int) -> Tensor:
    """A vector that stands in for a weight or a bias that was not given."""
    wanted = (value, columns, dtype, device)
    if wanted in CONSTANTS:
        return CONSTANTS[wanted]
    vector = torch.full((columns,), value, dtype=dtype, device=f"cuda:{device}")
    if not torch.cuda.is_current_stream_capturing():  # a graph's memory is its own
        torch.cuda.synchronize(device)  # other streams will find it
        CONSTANTS[wanted] = vector
    return vector
