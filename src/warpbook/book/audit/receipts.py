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
from warpbook.book.learning import followed
from warpbook.book.run_folder import RECEIPT
from warpbook.book.tables import Experiment, Run
from warpbook.core.codec import decode
from warpbook.core.errors import BadInput
from warpbook.core.run import ORDER, MetricSamples, RunReceipt, RunStatus, environment_key

TOLERANCE = 1e-9


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
    if missing := recorded.keys() - measured.keys():
        yield f"its receipt has no samples of {', '.join(sorted(missing))}"
        return
    if not recorded:
        yield "it is valid, and no gain is recorded"
        return
    for name, effect in recorded.items():
        yield from wrong_gain(receipt, measured[name], effect)
    main = measured.get(receipt.plan.metrics[0].name)
    if main is not None and (run.gain is None or not close(run.gain, main.gain)):
        yield f"its gain is recorded as {run.gain}, not {main.gain}"


def wrong_gain(receipt: RunReceipt, samples: MetricSamples, recorded: list[float]) -> Iterator[str]:
    name = samples.metric.name
    try:
        stated = followed(receipt.kind, samples)
    except BadInput as error:
        yield str(error)
        return
    if len(recorded) != 2 or not all(map(close, recorded, stated)):
        yield f"its gain and error of {name} are recorded as {recorded}, not {[*stated]}"


def close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
