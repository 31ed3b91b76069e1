"""vector_add: the sum of two tensors of one shape."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.cuda import kernel
from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import one_kind, same_shape
from warpbook.kernels.ops.devices import at, current, usable
from warpbook.kernels.ops.direct import CONTIGUOUS, goes_with, how_on_cuda, watched
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.memory import elements_of, readable, writable
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import counted, room
from warpbook.kernels.vector_add.rungs import sixteen_bytes as rung


class Launch(NamedTuple):
    """A kernel that is ready to go, and how many elements a block of it takes."""

    go: Callable[..., None]
    each: int


LAUNCHES: dict[tuple[int, torch.dtype, bool], Launch] = {}  # by device, dtype and whether vectors


def vector_add(a: Tensor, b: Tensor, *, out: Tensor | None = None) -> Tensor:
    """a + b, for two tensors of one shape."""
    if not watched() and how_on_cuda(a) == CONTIGUOUS:
        shape, dtype, device, size = a.shape, a.dtype, a.get_device(), a.numel()
        launch = LAUNCHES.get((device, dtype, True))
        if (
            launch is not None
            and size > 1
            and goes_with(b, dtype, device)
            and b.shape == shape
            and device == current()
        ):
            first, second = a.data_ptr(), b.data_ptr()
            if out is None:
                c = torch.empty_like(a)
                third = c.data_ptr()
            else:
                c, third = out, room(out, shape, dtype, device, size, (first, second))
            if third and not (first | second) & 15:
                go, each = launch
                go(device, -(-size // each), first, second, third, size, 1, 1, 1)
                return c
    result: Tensor = VECTOR_ADD(a, b, out=out)
    return result


def fill(a: Tensor, b: Tensor, out: Tensor) -> bool:
    device = a.get_device()
    if not usable(device):
        return False
    if a.numel() == 0:
        return True
    sources = [readable(t, elements_of) for t in (a, b)]
    target, elements = writable(out, [e for _, e in sources], [], elements_of)
    vectors = [*(e for _, e in sources), elements]
    whole = all(e.step == 1 and e.start % 16 == 0 for e in vectors)
    go, each = prepared(device, a.dtype, whole)
    starts, steps = [e.start for e in vectors], [e.step for e in vectors]
    with at(device):
        go(device, -(-a.numel() // each), *starts, a.numel(), *steps)
    if target is not out:
        out.copy_(target)
    return True


def prepared(device: int, dtype: torch.dtype, whole: bool) -> Launch:
    """With vectors of 16 bytes where all elements lie side by side, from a multiple of 16 bytes."""
    wanted = (device, dtype, whole)
    if wanted not in LAUNCHES:
        vector = 16 // dtype.itemsize if whole else 1
        with at(device):
            add = kernel(rung.__file__, "add", dtype, vector, rung.EACH, rung.STREAM)
            go = add.takes("q" * 7).ready(rung.THREADS)
        LAUNCHES[wanted] = Launch(go, rung.THREADS * rung.EACH * vector)
    return LAUNCHES[wanted]


def described(a: Tensor, b: Tensor, out: tuple[Tensor, ...]) -> Explanation:
    size = a.numel()
    if size == 0:
        return NOTHING
    vectors = [elements_of(t) for t in (a, b, *out)]  # None of what is copied first
    whole = all(e is None or (e.step == 1 and e.start % 16 == 0) for e in vectors)
    width = "16 bytes" if whole else "one"
    return Explanation("sixteen_bytes", f"{counted(size, 'element')}, {width} at a time")


def check(a: Tensor, b: Tensor) -> None:
    one_kind("vector_add", a=a, b=b)
    same_shape("vector_add", a=a, b=b)


VECTOR_ADD = Operation(
    name="vector_add",
    arguments="Tensor a, Tensor b",
    outputs=("out",),
    check=check,
    shape=lambda a, b: a.shape,
    plain=plain.vector_add,
    fill=fill,
    described=described,
)
