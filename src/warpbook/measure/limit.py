"""What moves a workload's bytes and computes nothing: its limit, unless it computes for longer.

Each mover is a problem derived from the one at hand, with the same inputs and the same outputs, so
that it is drawn, flushed and timed exactly as a rung is. The movers themselves are in
`limit_kernels.py`.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from warpbook.kernels.problem import Argument, Check, Problem
from warpbook.kernels.rung import Rung, read_rung
from warpbook.measure.stage import same_bits
from warpbook.measure.window import BITS

FILE = Path(__file__).with_name("limit_kernels.py")
VECTORS = {
    "copy": (1, 2, 4, 8),
    "join": (1, 2, 4),
    "pair": (1, 2, 4),
    "read": (1, 2, 4, 8),
    "stream": (1, 2, 4, 8),
}


def movers(problem: Problem, device: str) -> list[tuple[Problem, Rung]]:
    """None for a problem that works in place: nothing else moves its bytes."""
    if problem.mutates or problem.moves not in VECTORS:
        return []
    vectors = VECTORS[problem.moves] if device == "cuda" else VECTORS[problem.moves][:1]
    names = [f"{problem.moves}_{n}" for n in vectors]
    return [(moving(problem, name), read_rung(FILE, name, name)) for name in names]


def moving(problem: Problem, name: str) -> Problem:
    return replace(
        problem,
        name=name,
        reference=first_argument,
        cost=lambda workload: replace(problem.cost(workload), operations={}),
        check=CHECKS[problem.moves],
        scale=None,
        decode=None,
    )


def first_argument(*arguments: torch.Tensor) -> torch.Tensor:
    """There is no answer to compute: the checks look at bits alone."""
    return arguments[0]


def is_copy(
    outputs: Sequence[torch.Tensor], arguments: Sequence[Argument], _: Sequence[torch.Tensor]
) -> str | None:
    """Each output is the argument in the same place."""
    alike = all(same_bits(y, x) for y, x in zip(outputs, arguments, strict=False))
    return None if alike else "not what was to be copied"


def is_joined(
    outputs: Sequence[torch.Tensor], arguments: Sequence[Argument], _: Sequence[torch.Tensor]
) -> str | None:
    c, (a, b) = outputs[0], arguments[:2]
    assert isinstance(a, torch.Tensor)
    assert isinstance(b, torch.Tensor)
    bits = BITS[c.element_size()]
    return None if torch.equal(c.view(bits), a.view(bits) ^ b.view(bits)) else "not both arguments"


def is_filled(
    outputs: Sequence[torch.Tensor], _: Sequence[Argument], __: Sequence[torch.Tensor]
) -> str | None:
    """With zeros; what was read shows nowhere."""
    written = not any(bool(y.view(BITS[y.element_size()]).any()) for y in outputs)
    return None if written else "not filled with zeros"


def is_trusted(*_: object) -> str | None:
    """What a mere reading leaves in its output means nothing."""
    return None


CHECKS: dict[str, Check] = {
    "copy": is_copy,
    "join": is_joined,
    "pair": is_copy,
    "read": is_trusted,
    "stream": is_filled,
}
