"""Row-wise kernels: which one a matrix needs, and filling results by it.

A kernel is found by dtype, columns and how the rows are aligned; the number of rows only says
whether there are fewer of them than SMs. Knows nothing of torch's dispatcher.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

import torch
from torch import Tensor

from warpbook.kernels.ops.devices import at, processors, slug, usable
from warpbook.kernels.ops.memory import Rows, alignment, readable, when_contiguous, writable
from warpbook.kernels.ops.plans import key, measured

NOWHERE = Rows(0, 0, 0, 0, 1)


class Launch(NamedTuple):
    """A kernel that is ready: its bare launch, and the grid it is to have. A group of blocks takes
    `rows` rows, and takes more in turns where that would make more groups than `most`."""

    run: Callable[..., None]
    rows: int
    most: int
    blocks: int
    block: tuple[int, int, int, int, int, int]  # a grid's other sizes, the block's, shared bytes

    def shape(self, rows: int) -> tuple[int, ...]:
        return (min(-(-rows // self.rows), self.most) * self.blocks, *self.block)


class Pair(NamedTuple):
    """For fewer rows than `limit`, and for more."""

    limit: int
    few: Launch
    many: Launch


@dataclass(frozen=True)
class RowKernel:
    """
    name      of the operation
    rung      the module of its top rung; imported when a kernel is first needed
    codes     the kernel's arguments, a letter each
    direct    what a call with contiguous tensors finds at once
    """

    name: str
    rung: str
    codes: str
    direct: dict[tuple[int, torch.dtype, int], Pair] = field(default_factory=dict)
    pairs: dict[tuple[int, torch.dtype, int, int], Pair | None] = field(default_factory=dict)

    def pair(self, device: int, dtype: torch.dtype, columns: int, aligned: int) -> Pair | None:
        """None where no kernel holds such a row."""
        found = (device, dtype, columns, aligned)
        if found not in self.pairs:
            few, many = (self.launch(*found, self.plan(*found, few)) for few in (True, False))
            pair = Pair(processors(device), few, many) if few and many else None
            if pair and aligned == when_contiguous(columns, dtype):
                self.direct[device, dtype, columns] = pair
            self.pairs[found] = pair
        return self.pairs[found]

    def plan(
        self, device: int, dtype: torch.dtype, columns: int, aligned: int, few: bool
    ) -> Any | None:
        """What was measured, where it was measured for tensors that lie like these; or the rule."""
        rung = import_module(self.rung)
        if aligned == when_contiguous(columns, dtype):
            fields = measured(slug(device), key(self.name, dtype, columns), few)
            if fields is not None:
                plan = rung.recalled(fields, columns, dtype, aligned)
                if plan is not None:
                    return plan
        return rung.plan(columns, dtype, aligned, few)

    def launch(
        self, device: int, dtype: torch.dtype, columns: int, aligned: int, plan: Any | None
    ) -> Launch | None:
        if plan is None:
            return None
        with at(device):
            kernel, *grid = import_module(self.rung).prepared(plan, dtype)
        return Launch(kernel.takes(self.codes).run, *grid)

    def forget(self) -> None:
        """Plans have changed."""
        self.direct.clear()
        self.pairs.clear()

    def fill(
        self,
        read: Sequence[Tensor | None],
        shared: Sequence[Tensor],
        written: Sequence[Tensor | None],
        *numbers: float,
    ) -> bool:
        """`read` and `written` are matrices of one shape, `shared` are vectors with a number for
        each column; the kernel takes them in this order, then the rows and columns, how far it is
        from row to row in each matrix, and the numbers. False where no kernel holds such a row."""
        x = read[0]
        assert x is not None
        device = x.get_device()
        if not usable(device):
            return False
        if x.numel() == 0:
            return True
        sources = [readable(t) if t is not None else (t, NOWHERE) for t in read]
        vectors = [readable(t) for t in shared]
        touched = [r for t, r in sources if t is not None], [r for _, r in vectors]
        targets = [writable(t, *touched) if t is not None else (t, NOWHERE) for t in written]
        matrices = [*sources, *targets]
        aligned = alignment([r for t, r in matrices if t is not None], touched[1])
        rows, columns = sources[0][1].rows, sources[0][1].columns
        pair = self.pair(device, x.dtype, columns, aligned)
        if pair is None:
            return False
        launch = pair.few if rows < pair.limit else pair.many
        starts = [r.start for _, r in (*sources, *vectors, *targets)]
        steps = [r.step for _, r in matrices]
        with at(device):
            launch.run(device, launch.shape(rows), *starts, rows, columns, *steps, *numbers)
        for wanted, (target, _) in zip(written, targets, strict=True):
            if wanted is not None and target is not None and wanted is not target:
                wanted.copy_(target)
        return True
