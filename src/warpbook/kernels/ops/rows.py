"""Row-wise kernels: which one a matrix needs, and filling results by it.

A kernel is found by dtype, columns and how the rows are aligned; the number of rows only says
whether there are fewer of them than SMs. Knows nothing of torch's dispatcher.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.held_row import ALIGNED, ALIKE, APART, Plan, Prepared, processors
from warpbook.kernels.ops.devices import at, slug, usable
from warpbook.kernels.ops.direct import goes_with, mark_written
from warpbook.kernels.ops.explanation import NOTHING, Explanation
from warpbook.kernels.ops.memory import (
    Rows,
    alignment,
    as_made,
    as_read,
    readable,
    step_of,
    when_contiguous,
    writable,
)
from warpbook.kernels.ops.plans import key, measured

NOWHERE = Rows(0, 0, 0, 0, 1)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def held(plan: Plan) -> str:
    """By whom a row is held, in words."""
    if plan.rows > 1:
        return f"{counted(plan.threads, 'thread')} hold each, {plan.rows} a block"
    if plan.cluster > 1:
        return f"a cluster of {plan.cluster} blocks of {plan.threads} threads holds each"
    return f"a block of {plan.threads} threads holds each"


class Pair(NamedTuple):
    """For fewer rows than `limit`, and for more."""

    limit: int
    few: Prepared
    many: Prepared


def start(pair: Pair, device: int, rows: int, *arguments: float) -> None:
    """Launch the one of the two that is for so many rows."""
    limit, few, many = pair
    go, each, blocks, most = few if rows < limit else many
    groups = -(-rows // each)
    go(device, (groups if groups < most else most) * blocks, *arguments)


def room(
    out: Tensor,
    shape: torch.Size,
    dtype: torch.dtype,
    device: int,
    size: int,
    read: Sequence[int],
    shared: Sequence[int] = (),
) -> int:
    """Where `out` is, if a kernel may write straight to it: it is contiguous on 16 bytes, and apart
    from what is read, or the very same. Otherwise 0, and the long way finds another. All that is
    read has `size` elements as `out` has, and what is shared as many as a row."""
    if not goes_with(out, dtype, device) or out.shape != shape:
        return 0
    place, length = out.data_ptr(), size * dtype.itemsize
    if place & 15:
        return 0
    for other in read:
        if place != other and -length < place - other < length:
            return 0
    for other in shared:
        if other < place + length and place < other + shape[-1] * dtype.itemsize:
            return 0
    mark_written(out)
    return place


@dataclass(frozen=True)
class RowKernel:
    """
    name      of the operation
    rung      the module of its top rung; imported when a kernel is first needed
    slots     the matrices that the kernel reads, and as many that it writes: whether this
              operation has them
    vectors   how many vectors it reads besides
    numbers   how many numbers it takes last
    direct    what a call with contiguous tensors finds at once
    """

    name: str
    rung: str
    slots: tuple[bool, ...] = (True,)
    vectors: int = 0
    numbers: int = 0
    direct: dict[tuple[int, torch.dtype, int], Pair] = field(default_factory=dict)
    pairs: dict[tuple[int, torch.dtype, int, int], Pair | None] = field(default_factory=dict)

    @property
    def codes(self) -> str:
        """Of the kernel's arguments, a letter each."""
        return "q" * (4 * len(self.slots) + self.vectors + 2) + "f" * self.numbers

    def pair(self, device: int, dtype: torch.dtype, columns: int, aligned: int) -> Pair | None:
        """None where no kernel holds such a row."""
        wanted = (device, dtype, columns, aligned)
        pair = self.pairs.get(wanted)
        if pair is None and wanted not in self.pairs:
            few, many = (self.launch(device, dtype, self.plan(*wanted, f)) for f in (True, False))
            pair = Pair(processors(device), few, many) if few and many else None
            if pair and aligned == when_contiguous(columns, dtype):
                self.direct[device, dtype, columns] = pair
            self.pairs[wanted] = pair
        return pair

    def plan(self, device: int, dtype: torch.dtype, columns: int, aligned: int, few: bool) -> Any:
        """What was measured, where it was measured for tensors that lie like these; or the rule."""
        rung = import_module(self.rung)
        if aligned == when_contiguous(columns, dtype):
            fields = measured(slug(device), key(self.name, dtype, columns), few)
            if fields is not None:
                plan = rung.recalled(fields, columns, dtype, aligned)
                if plan is not None:
                    return plan
        return rung.plan(columns, dtype, aligned, few)

    def launch(self, device: int, dtype: torch.dtype, plan: Any) -> Prepared | None:
        if plan is None:
            return None
        with at(device):
            ready: Prepared = import_module(self.rung).prepared(plan, dtype, self.codes)
        return ready

    def strided(
        self, x: Tensor, device: int, dtype: torch.dtype, columns: int, place: int
    ) -> tuple[Pair | None, int]:
        """What is known for rows that lie apart, into a result that torch allocates; and how far
        apart."""
        step = step_of(x)
        if step is None:
            return None, 0
        size = dtype.itemsize
        if not (place | step * size | columns * size) & 15:
            aligned = ALIGNED
        else:
            aligned = APART if place & 15 or (step - columns) * size & 15 else ALIKE
        return self.pairs.get((device, dtype, columns, aligned)), step

    def forget(self) -> None:
        """Plans have changed."""
        self.direct.clear()
        self.pairs.clear()

    def fill(
        self,
        read: Sequence[Tensor],
        shared: Sequence[Tensor],
        written: Sequence[Tensor],
        *numbers: float,
    ) -> bool:
        """`read` and `written` are matrices of one shape, `shared` are vectors with a number for
        each column. False where no kernel holds such a row."""
        device = read[0].get_device()
        if not usable(device):
            return False
        if read[0].numel() == 0:
            return True
        sources, vectors = [readable(t) for t in read], [readable(t) for t in shared]
        touched = [rows for _, rows in sources], [rows for _, rows in vectors]
        targets = [writable(t, *touched) for t in written]
        results = [rows for _, rows in targets]
        first = touched[0][0]
        aligned = alignment([*touched[0], *results], touched[1])
        pair = self.pair(device, read[0].dtype, first.columns, aligned)
        if pair is None:
            return False
        with at(device):
            start(pair, device, first.rows, *self.arguments(*touched, results, *numbers))
        for wanted, (target, _) in zip(written, targets, strict=True):
            if wanted is not target:
                wanted.copy_(target)
        return True

    def described(
        self, read: Sequence[Tensor], shared: Sequence[Tensor | None], written: Sequence[Tensor]
    ) -> Explanation:
        """What `fill` would do. A vector that is not given is made, and so are results."""
        first, device = read[0], read[0].get_device()
        if first.numel() == 0:
            return NOTHING
        sources, made = [as_read(t) for t in read], as_made(first.shape, first.itemsize)
        results = [as_read(t) for t in written] or [made]
        vectors = [as_read(t) for t in shared if t is not None]
        aligned = alignment([*sources, *results], vectors)
        rows, columns = made.rows, made.columns
        few = rows < processors(device)
        plan = self.plan(device, first.dtype, columns, aligned, few)
        if plan is None:
            return Explanation(
                "torch", f"no kernel holds a row of {columns:,} columns that lies so"
            )
        name = self.rung.rpartition(".")[2]
        return Explanation(name, f"{counted(rows, 'row')} of {columns:,}: {held(plan)}")

    def arguments(
        self, read: list[Rows], shared: list[Rows], written: list[Rows], *numbers: float
    ) -> tuple[float, ...]:
        """As the kernel takes them: where all of them are, the rows and columns, how far it is from
        row to row in each matrix, and the numbers."""
        first, sources, targets = read[0], iter(read), iter(written)
        matrices = [
            next(given) if used else NOWHERE for given in (sources, targets) for used in self.slots
        ]
        half = len(self.slots)
        places = (*matrices[:half], *shared, *matrices[half:])
        steps = (matrix.step for matrix in matrices)
        return (*(p.start for p in places), first.rows, first.columns, *steps, *numbers)
