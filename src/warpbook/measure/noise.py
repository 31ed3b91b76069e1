"""How often the judge sees a difference that is not there, and misses one that is.

A rung is compared with itself, and with one that is slower by a known amount, in fresh processes
every few times.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.comparison import Answer
from warpbook.core.errors import NotCorrect
from warpbook.kernels.problem import Problem
from warpbook.kernels.rung import Rung, read_rung
from warpbook.kernels.shelf import load_problem
from warpbook.measure.judge import Judge

CORPUS = Path(__file__).parent / "corpus"
SLOWDOWN = {"cpu": 0.10, "cuda": 0.03}
# How many comparisons two processes make before they are replaced. On a GPU starting them takes
# longer than comparing them.
TOGETHER = {"cpu": 1, "cuda": 5}
# On a machine that is busy with other things a comparison is refused, and made again.
TRIES = 5


@dataclass(frozen=True)
class NoiseReport:
    """`alike` counts the answers for a rung against itself, `slowed` those for a rung that is
    slower by `slowdown`; `refused` comparisons were made again."""

    device: str
    workload: str
    slowdown: float
    alike: dict[str, int]
    slowed: dict[str, int]
    refused: int

    @property
    def called_apart(self) -> int:
        return self.alike[Answer.FASTER] + self.alike[Answer.SLOWER]

    @property
    def most_apart(self) -> int:
        return -(-3 * sum(self.alike.values()) // 100)

    @property
    def least_slower(self) -> int:
        return -(-9 * sum(self.slowed.values()) // 10)

    @property
    def holds(self) -> bool:
        """At most 3% of like pairs told apart; at least 90% of the slowed ones seen as slower,
        and none as faster."""
        return (
            self.called_apart <= self.most_apart
            and self.slowed[Answer.SLOWER] >= self.least_slower
            and self.slowed[Answer.FASTER] == 0
        )


def run_noise(device: str, n: int, progress: Callable[[str], None] | None = None) -> NoiseReport:
    """Compare a rung with itself `n` times, and with a slowed one a quarter as often."""
    say = progress or (lambda _: None)
    problem = load_problem(str(CORPUS / "problems" / "steady"))
    workload = next(w.name for w in problem.workloads if device in w.timed_on)
    steady, slowed = (rung(f"{name}_{device}", problem) for name in ("steady", "slowed"))
    answers = {"itself": Counter[str](), "slowed": Counter[str]()}
    refused = 0
    with Judge(device) as judge:
        for other, times in turns(n, TOGETHER[device]):
            b = steady if other == "itself" else slowed
            found, again = persistently(judge, problem, steady, b, workload, times)
            answers[other].update(found)
            refused += again
            done = sum(map(Counter.total, answers.values()))
            so_far = ", ".join(f"{word} {count}" for word, count in answers[other].items())
            say(f"{done} of {n + quarter(n)}: against {other}: {so_far}")
    return NoiseReport(
        device=device,
        workload=workload,
        slowdown=SLOWDOWN[device],
        alike={answer.value: answers["itself"][answer] for answer in Answer},
        slowed={answer.value: answers["slowed"][answer] for answer in Answer},
        refused=refused,
    )


def turns(n: int, together: int) -> list[tuple[str, int]]:
    """Who plays, and how often running. The slowed rung's share is spread evenly, so that both
    see the machine at all its moods."""
    order: list[tuple[str, int]] = []
    played = slowed = 0
    while played < n:
        times = min(together, n - played)
        order.append(("itself", times))
        played += times
        due = quarter(n) * played // n - slowed
        if due >= together or (played == n and due):
            order.append(("slowed", due))
            slowed += due
    return order


def quarter(n: int) -> int:
    return max(1, n // 4)


def rung(name: str, problem: Problem) -> Rung:
    return read_rung(CORPUS / "noise" / f"{name}.py", problem.name)


def persistently(
    judge: Judge, problem: Problem, a: Rung, b: Rung, workload: str, times: int
) -> tuple[list[str], int]:
    """So many answers; a pair that the judge refuses starts over."""
    for again in range(TRIES):
        try:
            with judge.match(problem, a, b, workload) as match:
                return [match.play().answer.value for _ in range(times)], again
        except NotCorrect as refusal:
            why = refusal
    raise why
