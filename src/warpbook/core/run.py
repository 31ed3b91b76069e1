"""What a run is told to do, and the receipt it leaves: two arms, their samples, and where they
were taken.

Plain data, to and from JSON by `core.codec`. Knows nothing of the book, of processes or of files.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from warpbook.core.effect import Metric

ORDER = "ABBA"


class RunStatus(StrEnum):
    """`disqualified`: an arm is wrong, crashed, timed out or suspect. `invalid`: the machine was
    not fit to measure on. `failed`: what was printed is not usable, or the run itself broke."""

    MEASURED = "measured"
    DISQUALIFIED = "disqualified"
    INVALID = "invalid"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class NamedFile:
    """A file that a command names: its path as written, and the hash of what was in it."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Arm:
    """A shipped rung by its name in `rung`; a file by its text, of the Python file, of the `.cu`
    or of the pair, its name made from `rung`; or a shell command and the files it names."""

    label: str
    sha256: str
    rung: str = ""
    command: str = ""
    text: str | None = None
    cuda: str | None = None
    files: tuple[NamedFile, ...] = ()


@dataclass(frozen=True)
class Plan:
    """`kind` is kernel or command. `device` is cpu, cuda, or none for a command that measures
    nothing on this machine. The first metric is the main one, the others are for guards.
    `variables` names further environment variables to record."""

    kind: str
    workload: str
    device: str
    baseline: Arm
    change: Arm
    metrics: tuple[Metric, ...]
    problem: str = ""
    problem_sha256: str = ""
    blocks: int = 4
    limit_s: float = 600
    cwd: str = ""
    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetricSamples:
    """Both arms' samples in the order they were taken, and the gain they make with its standard
    error within the run."""

    metric: Metric
    baseline: tuple[float, ...]
    change: tuple[float, ...]
    gain: float
    error: float


@dataclass(frozen=True)
class RunReceipt:
    """Samples are here only when the status is measured. `started` and `ended` are UTC;
    `comparison` is the judge's own document of a kernel run."""

    run: str
    nonce: str
    kind: str
    status: RunStatus
    reason: str
    started: str
    ended: str
    seconds: float
    metrics: tuple[MetricSamples, ...]
    order: str
    plan: Plan
    environment: Mapping[str, str]
    capture: Mapping[str, Any]
    comparison: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.status is not RunStatus.MEASURED and self.metrics:
            raise ValueError(f"{self.run}: a {self.status} run cannot hold samples")


def environment_key(environment: Mapping[str, str], plan: Plan) -> str:
    """Runs with the same key may be pooled: same device, driver major, torch minor, arms, workload
    and problem."""
    parts = [
        environment.get("device", ""),
        environment.get("driver", "").split(".")[0],
        ".".join(environment.get("torch", "").split(".")[:2]),
        plan.baseline.sha256,
        plan.change.sha256,
        plan.workload,
        plan.problem_sha256,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
