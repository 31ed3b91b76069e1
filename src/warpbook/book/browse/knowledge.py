"""The knowledge graph as a page shows it: nodes, typed edges, groups and a view. Data only.

A node is a finding, a hypothesis, an experiment, a kernel (`rung:softmax/online`), a problem, a
campaign, or a group of what there is no room for. Runs are counted in their experiment.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# From top to bottom of the picture.
KINDS = ("campaign", "finding", "hypothesis", "experiment", "rung", "problem")
EDGES = (
    *("supports", "refutes", "supersedes", "refines", "tests"),
    *("baseline", "change", "measures", "repeats", "in"),
)
MOST_NODES = 300


@dataclass(frozen=True)
class Node:
    """`kind` is one of KINDS, or `group`: then `count` says how many it stands for and `holds` of
    which kind. `text` is cut; `state` is a verdict, an experiment's state or a finding's."""

    id: str
    kind: str
    text: str
    state: str = ""
    stale: str = ""
    at: str = ""
    campaign_id: int = 0
    tags: tuple[str, ...] = ()
    runs: int = 0
    belief: float | None = None
    gain: float | None = None
    metric: Mapping[str, Any] | None = None
    count: int = 0
    holds: str = ""

    @property
    def layer(self) -> int:
        return KINDS.index(self.holds or self.kind)


@dataclass(frozen=True, order=True)
class Edge:
    start: str
    type: str
    end: str


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Opened:
    """The group that is open, and which of its members are shown."""

    group: str
    text: str
    page: int
    first: int
    last: int
    total: int


@dataclass(frozen=True)
class View:
    """What is shown around `centre`. `scope` names the picture: nodes keep their place in it.
    `left_out` counts what is within reach but neither shown nor in a group. `tags` are those to
    filter by."""

    scope: str
    centre: Node
    campaign: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    opened: Opened | None = None
    left_out: int = 0
    tags: tuple[str, ...] = ()
    places: Mapping[str, Point] = field(default_factory=dict)
