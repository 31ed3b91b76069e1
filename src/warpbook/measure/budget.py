"""Seconds for many workloads: how much of them the next one may take."""

import time


class Budget:
    """It runs from when it is made. Each workload has an equal part of what is left, so what one
    leaves over goes to those after it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = time.monotonic() + seconds
        self._workloads = 0
        self._ready_s = 0.0
        self._least_s = 0.0

    @property
    def left_s(self) -> float:
        return self._ends - time.monotonic()

    def expect(self, workloads: int) -> None:
        self._workloads += workloads

    def share_s(self) -> float:
        """For the next workload: nothing where less is left than the last one needed at least."""
        share = max(0.0, self.left_s) / max(1, self._workloads)
        self._workloads -= 1
        return share if self.left_s > self._least_s else 0.0

    def needed(self, ready_s: float, rounds_s: float, first: bool) -> None:
        """What a workload took before there was anything to show for it: to make its contenders
        ready, and for the least number of rounds. Those that are the `first` of their problem also
        compile what the others use, so what they took to be ready is not expected again."""
        if not first:
            self._ready_s = ready_s
        self._least_s = self._ready_s + rounds_s
