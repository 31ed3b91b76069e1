"""Whose work the device did: each round's own, the harness's, or nobody's that is known.

Pure bookkeeping over times, on the host's real-time clock, that the device's clock gave.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

CLOCK_SLACK_NS = 10_000  # the device's and the host's clock agree to a few microseconds


class OwnWork:
    """The harness's own launches on the device, so that they are not laid at the candidate's
    door, and no more than them is left out."""

    def __init__(self, synchronize: Callable[[], None]) -> None:
        self.windows: list[tuple[int, int, int]] = []
        self.wall = time.time_ns
        self.synchronize = synchronize

    @contextlib.contextmanager
    def doing(self, launches: int) -> Iterator[None]:
        began = self.wall()
        yield
        self.synchronize()
        self.windows.append((began, self.wall(), launches))

    def leave_out(self, activities: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
        """What is not the harness's, and how many of its own launches are missing: the device's
        clock was then stopped by somebody else meanwhile."""
        left = []
        expected = [launches for _, _, launches in self.windows]
        for start, end in activities:
            index = next(
                (i for i, (w0, w1, _) in enumerate(self.windows) if within(start, w0, w1)), None
            )
            if index is None or not expected[index]:
                left.append((start, end))
            else:
                expected[index] -= 1
        return left, sum(expected)


def within(start: int, began: int, ended: int) -> bool:
    return began - CLOCK_SLACK_NS <= start <= ended + CLOCK_SLACK_NS


def assign(
    windows: list[tuple[int, int, int]], activities: list[tuple[int, int]]
) -> dict[str, Any]:
    """Give each round its device time, first start to last end; what ran in no window is
    counted as outside."""
    spans: dict[int, tuple[int, int]] = {}
    outside = 0
    for start, end in activities:
        number = next((n for n, began, ended in windows if within(start, began, ended)), None)
        if number is None:
            outside += 1
            continue
        first, last = spans.get(number, (start, end))
        spans[number] = (min(first, start), max(last, end))
    return {"spans": [[n, last - first] for n, (first, last) in spans.items()], "outside": outside}
