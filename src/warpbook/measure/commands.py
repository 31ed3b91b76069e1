"""Two shell commands in turns, in blocks A B B A: what each prints as its metrics, and the gains.

Every command prints JSON with the metrics; that is all that is known of it. One runs at a time,
under the device's lock. Never imports torch.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from warpbook.core.effect import Metric, blocks_gain
from warpbook.core.errors import BadInput, NotCorrect
from warpbook.core.run import MetricSamples
from warpbook.measure.invocation import KEPT_BYTES, Invocation, invoke
from warpbook.measure.lock import device_lock
from warpbook.measure.printed import find_object, values_of

LEAST_BLOCKS = 4
ARMS = ("baseline", "change")
ORDER = (0, 1, 1, 0)


@dataclass(frozen=True)
class Turn:
    """One invocation among all of them."""

    arm: str
    command: str
    number: int
    block: int
    blocks: int

    def __str__(self) -> str:
        """Such as `the change, block 2 of 4`."""
        return f"the {self.arm}, block {self.block} of {self.blocks}"


def compare_commands(
    commands: Sequence[str],
    metrics: Sequence[Metric],
    blocks: int,
    device: str,
    limit_s: float,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[MetricSamples, ...]:
    """`commands` are the baseline and the change. NotCorrect says which of them crashed or ran out
    of time, BadInput what was printed that is of no use."""
    check(commands, metrics, blocks)
    seen: list[list[list[float]]] = [[], []]  # by arm, by invocation, by metric
    with nullcontext() if device == "none" else device_lock(device, progress=progress):
        for turn in turns(commands, blocks):
            progress(f"{turn}: {turn.command}")
            seen[turn.number].append(measure(turn, metrics, limit_s))
    return tuple(samples(seen, metric, i) for i, metric in enumerate(metrics))


def check(commands: Sequence[str], metrics: Sequence[Metric], blocks: int) -> None:
    for arm, command in zip(ARMS, commands, strict=True):
        if not command.strip() or "\0" in command:
            raise BadInput(f"the {arm} is no command: {command!r}")
    if not metrics:
        raise BadInput("name at least one metric that the commands print")
    names = [metric.name for metric in metrics]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadInput(f"the metric {twice.pop()} is named twice")
    if blocks < LEAST_BLOCKS:
        raise BadInput(f"{blocks} blocks are too few: give at least {LEAST_BLOCKS}")


def turns(commands: Sequence[str], blocks: int) -> list[Turn]:
    return [
        Turn(ARMS[i], commands[i], i, block, blocks)
        for block in range(1, blocks + 1)
        for i in ORDER
    ]


def measure(turn: Turn, metrics: Sequence[Metric], limit_s: float) -> list[float]:
    ended = invoke(turn.command, limit_s)
    if failure := ended.failure:
        status = "timed out" if ended.status is None else "crashed"
        given = f" ({limit_s:g} s)" if ended.status is None else ""
        reason = f"{turn}, {failure}{given}; {printed_last(ended)}"
        document = {"disqualified": turn.arm, "status": status, "reason": reason}
        raise NotCorrect(reason, document)
    found = find_object(ended.stdout, ended.whole)
    if found is None:
        where = " to stdout" if ended.whole else f" in the last {KEPT_BYTES >> 20} MB of stdout"
        raise BadInput(
            f"{turn}, printed no JSON object on a line of its own{where}; {printed_last(ended)}"
        )
    try:
        return values_of(found, metrics)
    except BadInput as error:
        raise BadInput(f"{turn}: {error}; {printed_last(ended)}") from None


def printed_last(ended: Invocation) -> str:
    return f"it printed last: {ended.last}" if ended.last else "it printed nothing"


def samples(seen: Sequence[Sequence[Sequence[float]]], metric: Metric, i: int) -> MetricSamples:
    baseline, change = (tuple(values[i] for values in arm) for arm in seen)
    gain, error = blocks_gain(baseline, change, metric)
    return MetricSamples(metric, baseline, change, gain, error)
