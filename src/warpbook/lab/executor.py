"""Executors: where runs are executed. One contract, and one suite of tests over all of them.

Knows nothing of the queue or of verdicts.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from warpbook.book.leases import Lease


@dataclass(frozen=True)
class Ending:
    """How a run's process ended. `reason` says what went wrong where it left no receipt. `lost`: it
    broke off through nobody's doing, and may be tried again."""

    reason: str = ""
    lost: bool = False


class Handle(Protocol):
    """One run under way."""

    def poll(self) -> Ending | None:
        """None while it runs. By the end its receipt, if it left one, is in the run's folder."""

    def stop(self) -> None:
        """End every process of the run before this returns. `poll` then says how it ended."""


class Executor(Protocol):
    """`places` are named; each has its device: cpu, cuda or none. Calls come from one thread, which
    lives as long as the runs do."""

    name: str

    def places(self) -> dict[str, str]: ...

    def start(self, lease: "Lease") -> Handle:
        """Start the run. What it prints is in its log within a second or so."""

    def close(self) -> None:
        """Let go of everything; nothing is under way any more."""
