"""A problem: an operation to implement, how to draw its inputs, and how to tell a right answer.

Knows nothing of processes, clocks or devices beyond the generator it is handed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import torch

from warpbook.core.cost import Cost
from warpbook.core.workload import Workload

Argument: TypeAlias = torch.Tensor | int | float | bool | None
Outputs: TypeAlias = torch.Tensor | tuple[torch.Tensor, ...]
Check: TypeAlias = Callable[
    [Sequence[torch.Tensor], Sequence[Argument], Sequence[torch.Tensor]], str | None
]


def one(_: Workload) -> float:
    return 1.0


@dataclass(frozen=True)
class Problem:
    """`problem.py` in a problem's folder builds one of these and calls it `problem`.

    name        also the name of the function a rung must define
    inputs      the arguments for a workload, drawn with a generator, on the generator's device;
                None stands for a tensor that is left away
    reference   the plain answer in whatever precision its arguments have; the judge calls it in
                float64 for the truth and in float32 for the yardstick. Where there are several
                outputs, of whatever shapes and dtypes, it returns a tuple
    cost        the least bytes and operations of a workload
    workloads   what is timed, and what exists to catch mistakes
    mutants     wrong implementations that the checker must reject, by name
    ladder      the names of the rungs under `rungs/`, lowest first
    peers       the names of those, on the ladder or not, that are other people's work and what a
                ladder is measured against: torch, torch.compile, a library
    sizes       what the numbers of a workload's shape are called in a `.cu` file's first line
    moves       which bare movement of the same bytes is the limit: a function of
                `measure/limit_kernels.py`
    mutates     positions of the arguments a rung changes in place; those are then the outputs
    output_dtypes  of the outputs, where they are not the workload's own dtype; one of integers in
                the reference (an index) has the reference's dtype
    scale       what an error is divided by, from the float64 arguments and answer; by default the
                largest magnitude in each row of the answer
    growth      how much more than the yardstick's error an honest order of summation may bring
    decode      turns outputs into what the reference returns (dequantises), before the error
    check       replaces the error altogether: given outputs, arguments and the float64 answer,
                says what is wrong, or None
    """

    name: str
    inputs: Callable[[Workload, torch.Generator], Sequence[Argument]]
    reference: Callable[..., Outputs]
    cost: Callable[[Workload], Cost]
    workloads: tuple[Workload, ...]
    mutants: Mapping[str, Callable[..., Outputs]]
    ladder: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    moves: str = "copy"
    mutates: tuple[int, ...] = ()
    output_dtypes: tuple[str, ...] | None = None
    scale: Callable[[Sequence[Argument], torch.Tensor], torch.Tensor] | None = None
    growth: Callable[[Workload], float] = one
    decode: Callable[..., Outputs] | None = None
    check: Check | None = None
    folder: Path = field(default=Path(), compare=False)

    def workload(self, name: str) -> Workload | None:
        return next((w for w in self.workloads if w.name == name), None)

    def expected(self, arguments: Sequence[Argument], dtype: torch.dtype) -> list[torch.Tensor]:
        """The reference with every floating-point argument cast to `dtype`."""
        return as_list(self.reference(*(cast(a, dtype) for a in arguments)))


def as_list(outputs: Any) -> list[torch.Tensor]:
    return list(outputs) if isinstance(outputs, tuple | list) else [outputs]


def cast(argument: Argument, dtype: torch.dtype) -> Argument:
    if isinstance(argument, torch.Tensor) and argument.is_floating_point():
        return argument.to(dtype)
    return argument
