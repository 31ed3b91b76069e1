"""topk: the k largest or smallest numbers of each row, and their columns."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.cuda import kernel
from warpbook.kernels.held_row import processors
from warpbook.kernels.ops import plain
from warpbook.kernels.ops.demands import one_kind
from warpbook.kernels.ops.devices import at, current, usable
from warpbook.kernels.ops.direct import (
    CONTIGUOUS,
    goes_with,
    how_on_cuda,
    mark_written,
    watched,
)
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.memory import readable, rows_of, whole_of, writable
from warpbook.kernels.ops.operation import Operation
from warpbook.kernels.ops.rows import counted
from warpbook.kernels.topk import plans
from warpbook.kernels.topk.plans import MOST_K
from warpbook.kernels.topk.rungs import radix
from warpbook.kernels.topk.rungs import split as rung

MOST = 4096  # launches that are remembered
SHORTS = {
    "ranked_rows": "each number's place is how many are above it",
    "picked_rows": "a warp picks the best of each, one after the other",
    "short_rows": "a warp sorts each",
}


class Launch(NamedTuple):
    """A kernel that is ready to go, and the numbers that it takes before and after the distance
    from one row to the next."""

    go: Callable[..., None]
    blocks: int
    first: tuple[int, ...]
    last: tuple[int, ...]


# By device, dtype, rows, columns, k, largest and sorted: for rows of which all or none start at a
# multiple of 16 bytes it is the same.
LAUNCHES: dict[tuple[int, torch.dtype, int, int, int, bool, bool], Launch] = {}


def topk(
    x: Tensor,
    k: int,
    largest: bool = True,
    sorted: bool = True,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """torch.topk(x, k, -1, largest, sorted): values, and indices in int64, over the last dimension.
    NaN counts as larger than any number. Of equal numbers any may come first."""
    if type(k) is int and not watched() and how_on_cuda(x) == CONTIGUOUS:
        found = straight(x, k, largest, sorted, out)
        if found is not None:
            return found
    kinds(k, largest, sorted)
    pair: tuple[Tensor, Tensor] = TOPK(x, k, largest, sorted, out=out)
    return pair


def straight(
    x: Tensor, k: int, largest: bool, sorted: bool, out: tuple[Tensor, Tensor] | None
) -> tuple[Tensor, Tensor] | None:
    """By one launch, where it is known and can write to where the results are to be."""
    size, shape, dtype, device = x.numel(), x.shape, x.dtype, x.get_device()
    if size < 2 or device != current():
        return None
    columns = shape[-1]
    rows = size // columns
    launch = LAUNCHES.get((device, dtype, rows, columns, k, largest, sorted))
    if launch is None or type(largest) is not bool or type(sorted) is not bool:
        return None
    wanted = (*shape[:-1], k)
    if out is None:
        out = x.new_empty(wanted), x.new_empty(wanted, dtype=torch.int64)
    elif not room(out, x, size, wanted, rows * k):
        return None
    values, indices = out
    go, blocks, first, last = launch
    places = (x.data_ptr(), values.data_ptr(), indices.data_ptr())
    go(device, blocks, *places, *first, columns, *last)
    return out


def room(
    out: tuple[Tensor, Tensor], x: Tensor, size: int, wanted: tuple[int, ...], results: int
) -> bool:
    """Whether a kernel may write straight to both: they are contiguous, and apart from each other
    and from x, which has `size` elements."""
    if type(out) is not tuple or len(out) != 2:
        return False
    (values, indices), dtype, device = out, x.dtype, x.get_device()
    if not goes_with(values, dtype, device) or not goes_with(indices, torch.int64, device):
        return False
    if values.shape != wanted or indices.shape != wanted or values.is_neg():
        return False
    itemsize = dtype.itemsize
    lengths = (size * itemsize, results * itemsize, results * 8)
    places = (x.data_ptr(), values.data_ptr(), indices.data_ptr())
    for one, other in ((0, 1), (0, 2), (1, 2)):
        start, end = places[one], places[other]
        if start < end + lengths[other] and end < start + lengths[one]:
            return False
    mark_written(values)
    mark_written(indices)
    return True


def fill(x: Tensor, k: int, largest: bool, sorted: bool, values: Tensor, indices: Tensor) -> bool:
    device = x.get_device()
    if not usable(device) or x.dim() == 0 or k > MOST_K or x.shape[-1] > rung.LONGEST:
        return False
    if values.numel() == 0:
        return True
    if too_many(x.numel() // x.shape[-1], x.shape[-1], k, device):
        return False
    x, lines = readable(x)
    written = (values, indices)
    targets = [writable(tensor, [], [lines], whole_of) for tensor in written]
    places = (lines.start, *(rows.start for _, rows in targets))
    with at(device):
        launch = prepared(device, x.dtype, lines.rows, lines.columns, k, largest, sorted)
        launch.go(device, launch.blocks, *places, *launch.first, lines.step, *launch.last)
    for wanted, (target, _) in zip(written, targets, strict=True):
        if wanted is not target:
            wanted.copy_(target)
    return True


def too_many(rows: int, columns: int, k: int, device: int) -> bool:
    """Rows for a kernel: it counts them in 32 bits, or its blocks where a warp has a row."""
    if rows <= rung.LONGEST:
        return False
    short = plans.short(rows, columns, k, processors(device))
    return not short or short.blocks > rung.LONGEST


def prepared(
    device: int, dtype: torch.dtype, rows: int, columns: int, k: int, largest: bool, sorted: bool
) -> Launch:
    wanted = (device, dtype, rows, columns, k, largest, sorted)
    if wanted not in LAUNCHES:
        if len(LAUNCHES) >= MOST:
            LAUNCHES.clear()
        LAUNCHES[wanted] = launch_of(*wanted)
    return LAUNCHES[wanted]


def launch_of(
    device: int, dtype: torch.dtype, rows: int, columns: int, k: int, largest: bool, sorted: bool
) -> Launch:
    sms, first, last = processors(device), (rows, columns), (k, k, k)
    short = plans.short(rows, columns, k, sms)
    if short:
        go = short_rows(dtype, largest, short.name, short.number, short.threads)
        return Launch(go, short.blocks, first, last)
    plan = rung.plan(rows, columns, k, dtype.itemsize, sms)
    if plans.by_radix(k, plan):
        return selection(dtype, rows, columns, k, largest)
    case = plans.case(rows, columns, k, dtype.itemsize, sms, plan)
    run = rung.ready(dtype, largest, plan, case)
    lists = (plan.aside, plan.room, plan.lot, plan.cluster, int(sorted))
    go = run.ready(plan.threads, plan.shared_bytes)
    return Launch(go, plan.at_once(rows, sms) * plan.cluster, first, (*last, *lists))


def selection(dtype: torch.dtype, rows: int, columns: int, k: int, largest: bool) -> Launch:
    """By `radix`, which is told how far apart results are, and those of a row."""
    threads, room, shared = radix.block_for(rows, columns, k, dtype.itemsize)
    go = radix.ready(dtype, threads).ready(threads, shared)
    return Launch(go, rows, (columns,), (k, 1, k, 1, k, int(largest), room))


def short_rows(
    dtype: torch.dtype, largest: bool, name: str, number: int, threads: int
) -> Callable[..., None]:
    return kernel(rung.__file__, name, dtype, largest, number).takes("q" * 9).ready(threads)


def warm(device: int, dtype: torch.dtype, columns: int) -> None:
    """Compile what any number of rows of so many columns needs, for any k."""
    if columns > rung.LONGEST:
        return
    sms = processors(device)
    shorts, plain, blocks = set(), set(), set()
    for call in calls(columns, sms):
        short, plan = plans.short(*call, sms), rung.plan(*call, dtype.itemsize, sms)
        if short:
            shorts.add((short.name, short.number, short.threads))
        elif plans.by_radix(call[2], plan):
            blocks.add(radix.block_for(*call, dtype.itemsize))
        else:
            plain.add((plan, plans.case(*call, dtype.itemsize, sms, plan)))
    for block in blocks:
        radix.ready(dtype, block.threads).ready(block.threads, block.shared)
    for largest in (True, False):
        for kind in shorts:
            short_rows(dtype, largest, *kind)
        for plan, case in plain:
            rung.ready(dtype, largest, plan, case).ready(plan.threads, plan.shared_bytes)


def calls(columns: int, sms: int) -> list[tuple[int, int, int]]:
    """Rows, columns and k for which every kernel comes up: rows are told apart by how many there
    are for each multiprocessor."""
    loads = {sms * each + more for each in range(33) for more in (0, 1)} - {0}
    rows = loads | {2**power for power in range(20)}
    sizes = {min(2**power, columns) for power in range(11)}
    return [(r, columns, k) for r in sorted(rows) for k in sorted(sizes)]


def described(
    x: Tensor, k: int, largest: bool, sorted: bool, out: tuple[Tensor, ...]
) -> Explanation:
    if x.dim() == 0:
        return Explanation("torch", "a tensor without dimensions has no row")
    if k > MOST_K:
        return Explanation("torch", f"k is {k:,}, and the kernels keep at most {MOST_K:,} of a row")
    columns = x.shape[-1]
    if columns > rung.LONGEST:
        return Explanation("torch", f"rows of {columns:,} columns are too long for the kernels")
    rows = x.numel() // columns if columns else 0
    if rows * k == 0:
        return NOTHING
    if too_many(rows, columns, k, x.get_device()):
        return Explanation("torch", f"{counted(rows, 'row')} are too many for the kernels")
    sms = processors(x.get_device())
    matter = f"{counted(rows, 'row')} of {columns:,}" + ("" if rows_of(x) else ", copied first")
    short = plans.short(rows, columns, k, sms)
    if short:
        return Explanation("split", f"{matter}: {SHORTS[short.name]}")
    plan = rung.plan(rows, columns, k, x.itemsize, sms)
    if plans.by_radix(k, plan):
        threads = radix.block_for(rows, columns, k, x.itemsize).threads
        large = f"k is {k:,}, and a histogram finds the bound"
        return Explanation("radix", f"{matter}: a block of {threads} threads has each; {large}")
    blocks = "a block" if plan.cluster == 1 else f"a cluster of {plan.cluster} blocks"
    return Explanation("split", f"{matter}: {blocks} of {plan.threads} threads has each")


def check(x: Tensor, k: int, largest: bool, sorted: bool) -> None:
    one_kind("topk", x=x)
    kinds(k, largest, sorted)
    columns = x.shape[-1] if x.dim() else 1
    if k < 0 or k > columns:
        raise RuntimeError(
            f"topk: k is {k} and a row has {counted(columns, 'column')}; k must be from 0 to "
            f"{columns}"
        )


def kinds(k: int, largest: bool, sorted: bool) -> None:
    """The third argument of torch's own is a dimension."""
    if not isinstance(k, int | torch.SymInt) or isinstance(k, bool):
        raise TypeError(f"topk: k is of type {type(k).__name__}; it must be a whole number")
    for name, value in (("largest", largest), ("sorted", sorted)):
        if not isinstance(value, bool):
            raise TypeError(
                f"topk: {name} is {value!r}; it must be True or False. Always the last dimension "
                "is searched, so none is given"
            )


def shape(x: Tensor, k: int, largest: bool, sorted: bool) -> torch.Size:
    return torch.Size((*x.shape[:-1], k)) if x.dim() else x.shape


TOPK = Operation(
    name="topk",
    arguments="Tensor x, SymInt k, bool largest, bool sorted",
    outputs=("values", "indices"),
    check=check,
    shape=shape,
    plain=plain.topk,
    fill=fill,
    described=described,
    indices=("indices",),
)
