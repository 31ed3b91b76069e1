"""Why a rung takes the time it takes: what it launched, what the counters saw, what to try.

The rung is run again in processes of its own (`replay`), never in the judged one, and nothing that
is found here changes a judgement.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warpbook.core.cost import Cost
from warpbook.core.judgement import Outcome
from warpbook.kernels.rung import Rung
from warpbook.measure.advice import Facts, advice, share
from warpbook.measure.counters import Counters, Unreadable, count
from warpbook.measure.device import device_facts
from warpbook.measure.launch import Launch, Replayed, base_name
from warpbook.measure.rerun import command, environment, trace

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem


@dataclass(frozen=True)
class Why:
    """`counters` are those of `launches`, one each, or empty with the reason in `uncounted`.
    `stall` is what warps waited for most in the kernel that takes longest, and `stall_share` how
    much of what they did that was."""

    rung: str
    workload: str
    launches: tuple[Launch, ...]
    copies_us: tuple[float, ...]
    multiprocessors: int
    needed: Cost
    counters: tuple[Counters, ...]
    uncounted: str
    stall: str | None
    stall_share: float | None
    advice: str


def explain(problem: "Problem", rung: Rung, outcome: Outcome) -> Why:
    """`outcome` is the judge's, on the workload that is to be explained."""
    seen = trace(problem, rung, outcome.workload)
    counters, uncounted = counted(problem, rung, outcome.workload, seen)
    workload = problem.workload(outcome.workload)
    assert workload is not None
    facts = Facts(
        launches=seen.launches,
        copies_us=seen.copies_us,
        multiprocessors=seen.limits.multiprocessors,
        cost=problem.cost(workload),
        counters=counters,
        floor=outcome.floor,
        fraction=outcome.fraction,
    )
    stall = facts.stall
    return Why(
        rung=rung.name,
        workload=outcome.workload,
        launches=seen.launches,
        copies_us=seen.copies_us,
        multiprocessors=seen.limits.multiprocessors,
        needed=facts.cost,
        counters=counters,
        uncounted=uncounted,
        stall=stall,
        stall_share=share(counters[facts.heaviest], stall) if stall else None,
        advice=advice(facts),
    )


def counted(
    problem: "Problem", rung: Rung, workload: str, seen: Replayed
) -> tuple[tuple[Counters, ...], str]:
    """The counters of each launch, or why there are none."""
    if not seen.launches:
        return (), "it launches no kernel"
    hopper = (device_facts("cuda").capability or "").startswith("9.")
    try:
        counters = count(command(problem, rung, [workload]), environment(), hopper)
    except Unreadable as reason:
        return (), str(reason)
    if not matches(seen.launches, counters):
        names = ", ".join(c.kernel for c in counters)
        return (), f"it launched other kernels under ncu than before: {names}"
    return tuple(counters), ""


def matches(launches: tuple[Launch, ...], counters: list[Counters]) -> bool:
    return [base_name(x.kernel) for x in launches] == [c.kernel for c in counters]
