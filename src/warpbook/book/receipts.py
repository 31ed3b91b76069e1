"""Whether a run's receipt on disk bears out what the book has recorded of the run.

Everything is worked out again from the samples. A run comes as its recorded values, wherever they
are from.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from warpbook.book.keys import noise_key
from warpbook.book.run_folder import RECEIPT
from warpbook.book.tables import Experiment, Run
from warpbook.core.codec import decode
from warpbook.core.effect import blocks_gain
from warpbook.core.errors import BadInput
from warpbook.core.run import ORDER, MetricSamples, RunReceipt, RunStatus, environment_key
from warpbook.core.statistics import ratio_interval

# Gains worked out by another version of numpy may differ in their last digits.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Recorded:
    """What the book says of a valid run. `gains` are [gain, error] by metric."""

    nonce: str
    sha256: str | None
    a_sha256: str
    b_sha256: str
    environment_key: str | None
    noise_key: str | None
    gain: float | None
    gains: Mapping[str, list[float]] | None


def recorded(run: Run, experiment: Experiment) -> Recorded:
    return Recorded(
        run.nonce,
        run.receipt_sha256,
        experiment.a_sha256,
        experiment.b_sha256,
        run.environment_key,
        run.noise_key,
        run.gain,
        run.gains,
    )


def problems(folder: Path, run: Recorded) -> Iterator[str]:
    """What is wrong with the receipt in a valid run's folder; nothing if all is well."""
    try:
        receipt, sha256 = read(folder / RECEIPT)
    except BadInput as error:
        yield str(error)
        return
    if sha256 != run.sha256:
        yield "its receipt is not the one that was recorded: its hash is another"
        return
    yield from differences(receipt, run)


def read(path: Path) -> tuple[RunReceipt, str]:
    """A receipt and its hash."""
    try:
        raw = path.read_bytes()
        return decode(RunReceipt, json.loads(raw)), hashlib.sha256(raw).hexdigest()
    except OSError as error:
        raise BadInput(f"its receipt cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"its receipt is none: {error}") from None


def differences(receipt: RunReceipt, run: Recorded) -> Iterator[str]:
    if receipt.nonce != run.nonce:
        yield "its receipt was made for another run: the nonce differs"
    if receipt.status is not RunStatus.MEASURED or receipt.order != ORDER:
        yield f"its receipt is {receipt.status} in the order {receipt.order or 'of none'}"
    arms = (receipt.plan.baseline.sha256, receipt.plan.change.sha256)
    if arms != (run.a_sha256, run.b_sha256):
        yield "its receipt is of other arms than its experiment"
    if environment_key(receipt.environment, receipt.plan) != run.environment_key:
        yield "its receipt was made in another environment than is recorded"
    if noise_key(receipt.environment, receipt.plan) != run.noise_key:
        yield "its receipt is of another device or workload than is recorded"
    measured = {samples.metric.name: samples for samples in receipt.metrics}
    recorded = run.gains or {}
    if missing := set(recorded) - set(measured):
        yield f"its receipt has no samples of {', '.join(sorted(missing))}"
        return
    if not recorded:
        yield "it is valid, and no gain is recorded"
        return
    for name, effect in recorded.items():
        yield from wrong_gain(receipt, measured[name], effect)
    main = receipt.metrics[0]
    if run.gain is None or not close(run.gain, main.gain):
        yield f"its gain of {main.metric.name} is recorded as {run.gain}, not {main.gain}"


def wrong_gain(receipt: RunReceipt, samples: MetricSamples, recorded: list[float]) -> Iterator[str]:
    name = samples.metric.name
    try:
        gain = gain_of(receipt, samples)
    except (BadInput, ValueError, ArithmeticError) as error:
        yield f"its samples of {name} make no gain: {error}"
        return
    if not close(gain, samples.gain):
        yield f"its samples of {name} make a gain of {gain}, and its receipt says {samples.gain}"
    for what, mine, theirs in zip(
        ("gain", "error"), recorded, (samples.gain, samples.error), strict=False
    ):
        if not close(mine, theirs):
            yield f"its {what} of {name} is recorded as {mine}, and its receipt says {theirs}"


def gain_of(receipt: RunReceipt, samples: MetricSamples) -> float:
    """A kernel's by the judge's own way with its rounds, a command's as the mean of its blocks."""
    if receipt.comparison is not None:
        ratio, _, _ = ratio_interval(samples.baseline, samples.change)
        return -math.log(ratio)
    gain, _ = blocks_gain(samples.baseline, samples.change, samples.metric)
    return gain


def close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE * 1e-3)
