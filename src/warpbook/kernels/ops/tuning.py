"""Tuning: the quickest plan for a width, measured on this GPU.

Tried are the rule's plan, the one in use, and those that differ from the rule's by a factor of two
in one place or two. A plan is out if the device cannot launch it, or if its answer is not the
rule's. Keeps nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from itertools import combinations, product
from typing import Any

import torch
from torch import Tensor

from warpbook.core.errors import BadInput
from warpbook.kernels.gemv.rungs import split
from warpbook.kernels.held_row import processors
from warpbook.kernels.ops.devices import slug
from warpbook.kernels.ops.gemv import has_own_kernel, recalled
from warpbook.kernels.ops.memory import readable, when_contiguous
from warpbook.kernels.ops.plans import Fields, key, measured
from warpbook.kernels.ops.rows import Pair, RowKernel, start
from warpbook.kernels.ops.stopwatch import copies, quickest

MANY_BYTES = 2**27  # of a matrix with many rows
NEAR = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}

Set = list[Tensor]  # what one launch reads and writes


def tune_rows(
    kernel: RowKernel, device: int, dtype: torch.dtype, columns: int, few: bool
) -> Fields | None:
    """None where no kernel holds such a row."""
    rung, aligned = import_module(kernel.rung), when_contiguous(columns, dtype)
    rule = rung.plan(columns, dtype, aligned, few)
    if rule is None:
        return None
    rows, used = rows_to_time(device, dtype, columns, few), sum(kernel.slots)
    shapes = [(rows, columns)] * used + [(columns,)] * kernel.vectors + [(rows, columns)] * used

    def launched(plan: Any, sets: Sequence[Set]) -> Callable[[], None]:
        launch = kernel.launch(device, dtype, plan)
        assert launch is not None
        calls = []
        for made in sets:
            places = [readable(tensor)[1] for tensor in made]
            parts = places[:used], places[used:-used], places[-used:]
            calls.append(kernel.arguments(*parts, *[1e-6] * kernel.numbers))

        def all_of_them() -> None:
            for call in calls:
                start(Pair(0, launch, launch), device, rows, *call)

        return all_of_them

    tried = candidates(key(kernel.name, dtype, columns), device, few, asdict(rule))
    others = (rung.recalled(fields, columns, dtype, aligned) for fields in tried)
    return asdict(best(rule, others, launched, drawn(device, dtype, shapes), used))


def tune_gemv(device: int, dtype: torch.dtype, columns: int, few: bool) -> Fields:
    rows = rows_to_time(device, dtype, columns, few)
    rule = split.plan(rows, columns, dtype.itemsize, processors(device))
    if has_own_kernel(dtype, columns):
        return asdict(rule)
    sets = drawn(device, dtype, [(rows, columns), (columns,), (rows,)])

    def launched(plan: split.Plan, sets: Sequence[Set]) -> Callable[[], None]:
        def all_of_them() -> None:
            for matrix, vector, out in sets:
                split.launch(matrix, vector, out, plan)  # type: ignore[no-untyped-call]

        return all_of_them

    tried = candidates(key("gemv", dtype, columns), device, few, asdict(rule))
    return asdict(best(rule, map(recalled, tried), launched, sets, 1))


def best(
    rule: Any,
    others: Iterable[Any | None],
    launched: Callable[[Any, Sequence[Set]], Callable[[], None]],
    sets: Sequence[Set],
    results: int,
) -> Any:
    """The quickest plan. `launched` gives what launches a plan on all sets, of which the last so
    many tensors are the results."""
    ways, plans = [launched(rule, sets)], [rule]
    ways[0]()
    answers = [tensor.clone() for tensor in sets[0][-results:]]
    for plan in others:
        if plan is None or plan in plans:
            continue
        for tensor in sets[0][-results:]:
            tensor.fill_(torch.nan)
        try:
            way = launched(plan, sets)
            way()
            torch.cuda.synchronize()
        except (RuntimeError, BadInput):  # more registers or shared memory than there are
            continue
        near_enough = NEAR[answers[0].dtype]
        if all(
            torch.allclose(tensor, answer, rtol=near_enough, atol=near_enough)
            for tensor, answer in zip(sets[0][-results:], answers, strict=True)
        ):
            ways.append(way)
            plans.append(plan)
    return plans[quickest(ways)]


def candidates(name: str, device: int, few: bool, rule: Fields) -> Iterator[Fields]:
    """What was measured before, and what is near the rule's plan."""
    known = measured(slug(device), name, few)
    if known is not None:
        yield known
    yield from near(rule)


def near(fields: Fields) -> Iterator[Fields]:
    """Those that differ by a factor of two in one place or two; what is 0 may be 1."""
    for places in (*combinations(fields, 1), *combinations(fields, 2)):
        for doubled in product((False, True), repeat=len(places)):
            yield fields | {
                place: (fields[place] * 2 or 1) if twice else fields[place] // 2
                for place, twice in zip(places, doubled, strict=True)
            }


def rows_to_time(device: int, dtype: torch.dtype, columns: int, few: bool) -> int:
    """Half as many as SMs, or so many that the matrix is large."""
    sms = processors(device)
    return sms // 2 if few else max(MANY_BYTES // (columns * dtype.itemsize), 2 * sms)


def drawn(device: int, dtype: torch.dtype, shapes: Sequence[tuple[int, ...]]) -> list[Set]:
    """As many sets of tensors as the L2 does not hold."""
    bytes_each = sum(torch.Size(shape).numel() for shape in shapes) * dtype.itemsize
    return [
        [torch.randn(shape, dtype=dtype, device=f"cuda:{device}") for shape in shapes]
        for _ in range(copies(bytes_each, device))
    ]
