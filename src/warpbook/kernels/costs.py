"""What the timed workloads of the shipped problems cost, kept in `costs.json` for those who must
not load a problem, since that imports torch.

`costing` writes the file.
"""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from warpbook.core.codec import decode
from warpbook.core.cost import Cost
from warpbook.kernels.library import BUILT_IN

FILE = BUILT_IN / "costs.json"


@dataclass(frozen=True)
class Timed:
    """A workload's cost, and the devices it is timed on."""

    cost: Cost
    timed_on: tuple[str, ...]


@cache
def costs_of(problem: str) -> dict[str, Timed]:
    """By workload, in the problem's order; nothing for a problem that is not shipped."""
    known: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: decode(Timed, found) for name, found in known.get(problem, {}).items()}
