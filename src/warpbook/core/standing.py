"""Where a time stands among those of a ladder, and the marks that it is held against.

Marks of different runs do not compare as the arms of one comparison do: times that could be the
same, measured twice, are level. Knows nothing of where marks are kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from warpbook.core.judgement import Judgement, Outcome, Timing

# How far apart two honest measurements of one rung on one device may lie, beyond their intervals.
SLACK = {"cuda": 0.03, "cpu": 0.15}


@dataclass(frozen=True)
class Mark:
    """The time of a rung on one workload and device, as it was once judged, caches cold. `own`: it
    was a file of the user's. `of_floor` is the floor over the time, `when` is UTC."""

    when: str
    problem: str
    rung: str
    own: bool
    workload: str
    us: float
    low_us: float
    high_us: float
    of_floor: float | None
    error: float | None
    sha256: str
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def device(self) -> str:
        return self.environment.get("device", "")


@dataclass(frozen=True)
class Standing:
    """One workload of a judgement among the ladder's marks, each group slowest first. `peers` are
    how many times as long each peer takes, and `torch` is the first of them. `idea` is that of
    `next_rung`, the slowest rung that is faster; `unmeasured` are the rungs without a mark."""

    workload: str
    us: float
    of_floor: float | None
    faster_than: tuple[Mark, ...] = ()
    level_with: tuple[Mark, ...] = ()
    slower_than: tuple[Mark, ...] = ()
    unmeasured: tuple[str, ...] = ()
    torch: Mark | None = None
    peers: Mapping[str, float] = field(default_factory=dict)
    next_rung: str | None = None
    title: str = ""
    idea: str = ""

    @property
    def marks(self) -> tuple[Mark, ...]:
        return (*self.faster_than, *self.level_with, *self.slower_than)


def marks_of(judgement: Judgement, when: str, own: bool) -> list[Mark]:
    """One for each workload that was timed."""
    return [
        Mark(
            when=when,
            problem=judgement.problem,
            rung=judgement.rung,
            own=own,
            workload=outcome.workload,
            us=outcome.device.median_us,
            low_us=outcome.device.low_us,
            high_us=outcome.device.high_us,
            of_floor=outcome.fraction,
            error=outcome.error,
            sha256=judgement.source_sha256,
            environment=judgement.environment,
        )
        for outcome in judgement.outcomes
        if outcome.device
    ]


def stand(
    outcome: Outcome,
    ladder: Iterable[Mark],
    unmeasured: tuple[str, ...],
    peers: Iterable[Mark],
    torch: str | None,
    slack: float,
) -> Standing:
    """Where a timed outcome stands; all marks are of its workload. `torch` names a peer."""
    timing = outcome.device
    assert timing is not None
    ordered = sorted(ladder, key=lambda mark: -mark.us)
    level = tuple(mark for mark in ordered if meet(timing, mark, slack))
    slower_than = tuple(m for m in ordered if m.us < timing.median_us and m not in level)
    peers = list(peers)
    return Standing(
        workload=outcome.workload,
        us=timing.median_us,
        of_floor=outcome.fraction,
        faster_than=tuple(m for m in ordered if m.us > timing.median_us and m not in level),
        level_with=level,
        slower_than=slower_than,
        unmeasured=unmeasured,
        torch=next((mark for mark in peers if mark.rung == torch), None),
        peers={mark.rung: mark.us / timing.median_us for mark in peers},
        next_rung=slower_than[0].rung if slower_than else None,
    )


def meet(timing: Timing, mark: Mark, slack: float) -> bool:
    """Whether two intervals meet when one is widened by the slack."""
    low, high = timing.low_us * (1 - slack), timing.high_us * (1 + slack)
    return low <= mark.high_us and mark.low_us <= high
