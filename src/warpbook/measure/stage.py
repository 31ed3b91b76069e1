"""One workload set up on a device: fresh inputs, poisoned outputs, cold caches, one call at a
time, and the judge's own recomputation of what should have come out.
"""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from warpbook.core.errors import BadInput
from warpbook.core.workload import Workload
from warpbook.kernels.problem import Argument, Problem
from warpbook.measure.arena import Arena, Place, Ring, view
from warpbook.measure.candidate import Candidate, Forged
from warpbook.measure.check import Checker
from warpbook.measure.flush import Flusher
from warpbook.measure.window import BITS, poison


class Tampered(Exception):
    """The call was made, but not in a way that leaves its time believable."""


class Wrong(Exception):
    """The call did something a right answer does not do."""


@dataclass(frozen=True)
class Round:
    """One call, as claimed by the child and as seen by the judge's own clock."""

    number: int
    seed: int
    arguments: tuple[Any, ...]
    outputs: tuple[Place, ...]
    call_us: float
    elapsed_us: float
    busy_us: float
    allocation_us: float
    waking_us: float
    compiled: int
    results: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Layout:
    """What a workload needs room for, without its contents: arguments, then outputs."""

    tensors: tuple[torch.Tensor, ...]

    @property
    def bytes_needed(self) -> int:
        """The ring, and room for the judge's own answer in float64 with its temporaries."""
        return Ring.size(self.tensors) + 5 * 8 * sum(t.numel() for t in self.tensors)


def lay_out(problem: Problem, workload: Workload, device: str) -> Layout:
    """Shapes and dtypes, from one draw of the inputs and one call of the reference."""
    arguments = problem.inputs(workload, torch.Generator(device=device).manual_seed(0))
    tensors = [
        torch.empty_strided(a.shape, a.stride(), dtype=a.dtype, device="meta")
        for a in arguments
        if isinstance(a, torch.Tensor)
    ]
    return Layout((*tensors, *outputs_for(problem, workload, arguments)))


def outputs_for(
    problem: Problem, workload: Workload, arguments: Sequence[Argument]
) -> list[torch.Tensor]:
    """What the outputs are like, without their contents; a problem that works in place has none."""
    if problem.mutates:
        return []
    plain = problem.expected(arguments, torch.float32)
    dtypes = problem.output_dtypes or [workload.dtype] * len(plain)
    return [
        torch.empty(y.shape, dtype=output_dtype(y, dtype), device="meta")
        for y, dtype in zip(plain, dtypes, strict=True)
    ]


def output_dtype(y: torch.Tensor, dtype: str) -> torch.dtype:
    if not y.is_floating_point():
        return y.dtype
    found = getattr(torch, dtype, None)
    if not isinstance(found, torch.dtype):
        raise BadInput(f"{dtype!r} is not a dtype of torch")
    return found


class Stage:
    def __init__(
        self, problem: Problem, workload: Workload, layout: Layout, arena: Arena, flusher: Flusher
    ) -> None:
        self.problem = problem
        self.workload = workload
        self.arena = arena
        self.flusher = flusher
        self.ring = Ring(arena, layout.tensors)
        self.generator = torch.Generator(device=arena.device)
        self._noise = torch.Generator(device=arena.device).manual_seed(secrets.randbits(62))
        self._number = 0

    def play(self, candidate: Candidate, limit_s: float, cold: bool, behind: int = 0) -> Round:
        """Make one call on contents that have never been seen before, on a GPU if wanted behind
        a kernel that waits so many cycles."""
        self._number += 1
        seed = secrets.randbits(62)
        drawn = self._draw(seed)
        arguments, outputs = self._places(drawn)
        prepared = candidate.ask(
            "prepare",
            limit_s,
            arguments=[asdict(a) if isinstance(a, Place) else a for a in arguments],
            outputs=[asdict(o) for o in outputs],
            shape=self.workload.shape,
            dtype=self.workload.dtype,
        )
        self._fill(arguments, drawn, outputs)
        waking_us = self.make_ready(candidate, limit_s, cold)
        reply = candidate.ask("go", limit_s, round=self._number, behind=behind)
        if reply.number("round") != self._number:
            raise Forged("the candidate answered for another round")
        if candidate.helpers():
            raise Tampered("left a process running after its call returned")
        return Round(
            number=self._number,
            seed=seed,
            arguments=tuple(arguments),
            outputs=tuple(outputs),
            call_us=reply.number("call_ns") / 1e3,
            elapsed_us=reply.elapsed_us,
            busy_us=reply.busy_us,
            allocation_us=prepared.number("allocation_ns") / 1e3,
            waking_us=waking_us,
            compiled=reply.number("compiled"),
            results=tuple(reply.fields.get("results", ())),
        )

    def make_ready(self, candidate: Candidate, limit_s: float, cold: bool) -> float:
        """The last step before a call; says how long the child took to wake the GPU."""
        if cold:
            self.flusher.flush()
        else:
            synchronize(self.arena.device)
        if self.arena.device == "cpu":
            return 0.0
        return candidate.ask("touch", limit_s).elapsed_us

    def check(
        self, candidate: Candidate, checker: Checker, played: Round, returns: str, limit_s: float
    ) -> None:
        """Compare a call's outputs with the answer to inputs drawn again from the judge's seed;
        the shared ones may have been changed."""
        if returns == "new":
            self._fetch(candidate, played, limit_s)
        arguments = self._draw(played.seed)
        shared = [self.arena.tensor(a) if isinstance(a, Place) else a for a in played.arguments]
        for index, (mine, theirs) in enumerate(zip(arguments, shared, strict=True)):
            if index not in self.problem.mutates and not same_bits(mine, theirs):
                raise Wrong(f"changed argument {index}, which the problem does not declare")
        outputs = [self.arena.tensor(o) for o in played.outputs]
        if self.problem.mutates:
            outputs = [shared[i] for i in self.problem.mutates]
        checker.add(outputs, arguments)

    def _fetch(self, candidate: Candidate, played: Round, limit_s: float) -> None:
        """Bring what the call returned to the judge's outputs: on the CPU out of the frozen
        child's memory, so that it has no chance to finish it first."""
        if self.arena.device == "cuda":
            candidate.ask("export", limit_s)
            return
        try:
            found = [
                (int(r["address"]), Place(0, tuple(r["shape"]), tuple(r["stride"]), o.dtype))
                for r, o in zip(played.results, played.outputs, strict=True)
            ]
        except (KeyError, TypeError, ValueError):
            raise Forged("the harness answered nonsense about its results") from None
        for place, (address, span) in zip(played.outputs, found, strict=True):
            if span.shape != place.shape or span.span > 4 * place.span + 4096:
                raise Wrong(f"returned a tensor of shape {span.shape} and strides {span.stride}")
            if span.span:
                memory = torch.frombuffer(candidate.peek(address, span.span), dtype=torch.uint8)
                self.arena.tensor(place).copy_(view(memory, span))

    def _draw(self, seed: int) -> Sequence[Argument]:
        return self.problem.inputs(self.workload, self.generator.manual_seed(seed))

    def _places(self, drawn: Sequence[Argument]) -> tuple[list[Any], list[Place]]:
        places = self.ring.places()
        arguments = [places.pop(0) if isinstance(a, torch.Tensor) else a for a in drawn]
        return arguments, places

    def _fill(self, arguments: list[Any], drawn: Sequence[Argument], outputs: list[Place]) -> None:
        """The contents come when the child has prepared all and is frozen: it cannot start on
        them before its call."""
        for place, argument in zip(arguments, drawn, strict=True):
            if isinstance(argument, torch.Tensor):
                self.arena.tensor(place).copy_(argument)
        for place in outputs:
            poison(self.arena.tensor(place), self._noise)


def same_bits(a: Argument, b: Argument) -> bool:
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return bool(a == b)
    bits = BITS[a.element_size()]
    return torch.equal(a.contiguous().view(bits), b.contiguous().view(bits))


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
