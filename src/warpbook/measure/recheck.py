"""Running a receipt again: does what it says still hold?

Code that comes with a receipt is run only when the caller says that it is trusted.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.core.comparison import Comparison
from warpbook.core.errors import BadInput, Missing, NotCorrect
from warpbook.core.judgement import Judgement, Status, Timing
from warpbook.core.machine import choose_device
from warpbook.core.receipt import Receipt, Request, Source
from warpbook.core.standing import SLACK
from warpbook.core.units import interval_us, multiple
from warpbook.kernels.library import Outline, find_rung, problem_names
from warpbook.kernels.rung import Rung, read_rung, read_source
from warpbook.measure.judge import Judge

if TYPE_CHECKING:
    from warpbook.kernels.problem import Problem


@dataclass(frozen=True)
class Rechecked:
    """`against` is what speaks against the receipt, `notes` what else is to be known."""

    what: str
    holds: bool
    against: tuple[str, ...]
    notes: tuple[str, ...]


def needs_trust(receipt: Receipt) -> str | None:
    """What of this receipt is code that somebody else may have written."""
    if receipt.request.problem not in problem_names():
        return f"its problem is the code in {receipt.request.problem}"
    carried = [source.rung for source in receipt.request.sources if not source.shipped]
    return f"it carries the source of {' and '.join(carried)}" if carried else None


def recheck(
    receipt: Receipt, trust: bool = False, progress: Callable[[str], None] | None = None
) -> Rechecked:
    request = receipt.request
    if (why := needs_trust(receipt)) and not trust:
        raise BadInput(f"{why}, which is run only with --trust")
    device = device_for(request)
    with (
        tempfile.TemporaryDirectory(prefix="warpbook-") as folder,
        Judge(device, request.warm, request.limit_s, progress) as judge,
    ):
        from warpbook.kernels.shelf import load_problem, outline_of

        problem = load_problem(request.problem)
        outline = outline_of(problem)
        rungs = [restore(outline, source, Path(folder)) for source in request.sources]
        only = runnable(problem, request, device)
        try:
            against, notes = run_again(judge, problem, receipt, rungs, only)
        except NotCorrect as error:
            against, notes = [str(error)], []
    notes += changes(outline, request, rungs)
    return Rechecked(title(receipt), not against, tuple(against), tuple(notes))


def run_again(
    judge: Judge,
    problem: "Problem",
    receipt: Receipt,
    rungs: list[Rung],
    only: tuple[str, ...] | None,
) -> tuple[list[str], list[str]]:
    if receipt.judgement:
        return compare_judgements(receipt.judgement, judge.rung(problem, rungs[0], only=only))
    assert receipt.comparison
    a, b = rungs
    again = judge.compare(problem, a, b, receipt.comparison.workload)
    return compare_comparisons(receipt.comparison, again)


def device_for(request: Request) -> str:
    """The kind of device it was made on, or else the best here."""
    with suppress(Missing):
        return choose_device(request.device)
    return choose_device(None)


def runnable(problem: "Problem", request: Request, device: str) -> tuple[str, ...] | None:
    """The workloads of the request that this device can run; None for all of them."""
    if request.workloads is None:
        return None
    found = [w.name for w in problem.workloads if w.runs_on(device)]
    here = tuple(name for name in request.workloads if name in found)
    if not here:
        names = ", ".join(request.workloads)
        raise Missing(f"made on {request.device}: {names} cannot be run on {device}")
    return here


def restore(outline: Outline, source: Source, folder: Path) -> Rung:
    """The rung by its name, or files with the text that the receipt carries."""
    if source.shipped:
        return find_rung(outline, source.rung)
    name = source.rung if source.rung.isidentifier() else "candidate"
    files = []
    for suffix, text in ((".py", source.text), (".cu", source.cuda)):
        if text is not None:
            files.append(folder / source.sha256[:8] / f"{name}{suffix}")
            files[-1].parent.mkdir(exist_ok=True)
            files[-1].write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return read_rung(files[0], outline.name, name=source.rung, sizes=outline.sizes)


def changes(outline: Outline, request: Request, rungs: list[Rung]) -> list[str]:
    """What is no longer the code that the receipt was made with."""
    found = [
        f"the rung {source.rung} has changed since"
        for source, rung in zip(request.sources, rungs, strict=True)
        if source.sha256 != rung.sha256
    ]
    now = hashlib.sha256(read_source(outline.folder / "problem.py")).hexdigest()
    if now != request.problem_sha256:
        found.append("the problem has changed since")
    return found


def title(receipt: Receipt) -> str:
    names = " against ".join(source.rung for source in receipt.request.sources)
    return f"{receipt.kind} of {receipt.request.problem} {names}"


def compare_judgements(then: Judgement, now: Judgement) -> tuple[list[str], list[str]]:
    """What speaks against the earlier one, and what is to be noted: the same status on every
    workload that both ran, and on the same device the same time."""
    here = same_device(then.environment, now.environment)
    later = {outcome.workload: outcome for outcome in now.outcomes}
    against: list[str] = []
    notes = list(moved(then.environment, now.environment))
    if then.status is not now.status:
        (notes if not here and now.status is Status.SKIPPED else against).append(
            f"was {then.status}, is {now.status}: {now.reason}"
        )
    for was in then.outcomes:
        again = later.get(was.workload)
        if again is None or was.status is Status.SKIPPED:  # nothing was said, or nothing is
            continue
        if not here and again.status is Status.SKIPPED:
            continue
        if was.status is not again.status:
            against.append(f"{was.workload} was {was.status}, is {again.status}: {again.reason}")
        elif here and was.device and again.device:
            against += apart(was.workload, was.device, again.device, SLACK[now.device])
    return against, notes


def apart(workload: str, was: Timing, again: Timing, slack: float) -> list[str]:
    """Two intervals that do not meet even when one is widened by the slack."""
    if was.low_us * (1 - slack) <= again.high_us and again.low_us <= was.high_us * (1 + slack):
        return []
    return [f"{workload} took {shown(was)}, takes {shown(again)}"]


def shown(timing: Timing) -> str:
    return interval_us(timing.median_us, timing.low_us, timing.high_us)


def compare_comparisons(then: Comparison, now: Comparison) -> tuple[list[str], list[str]]:
    """The same answer; on the same device also ratios whose intervals meet within the slack."""
    notes = list(moved(then.environment, now.environment))
    if then.answer is not now.answer:
        return [f"was {then.answer} ({ratio(then)}), is {now.answer} ({ratio(now)})"], notes
    slack = SLACK[now.device]
    meet = then.low * (1 - slack) <= now.high and now.low <= then.high * (1 + slack)
    if same_device(then.environment, now.environment) and not meet:
        return [f"the ratio was {ratio(then)}, is {ratio(now)}"], notes
    return [], notes


def ratio(comparison: Comparison) -> str:
    c = comparison
    return f"{multiple(c.ratio)}, {multiple(c.low)} to {multiple(c.high)}"


def same_device(then: Mapping[str, str], now: Mapping[str, str]) -> bool:
    return then.get("device") == now.get("device")


def moved(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    if not same_device(then, now):
        yield (
            f"made on {then.get('device')}, run again on {now.get('device')}: "
            "times are not compared"
        )
    for name in ("driver", "torch", "triton"):
        if then.get(name) != now.get(name):
            yield f"{name} was {then.get(name)}, is {now.get(name)}"
