"""What a measuring process said, read as the outcome of a run.

Knows its documents and exit statuses, and nothing of processes or of the book.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from warpbook.core.codec import decode
from warpbook.core.comparison import Comparison
from warpbook.core.run import MetricSamples, Plan, RunStatus

HALF_WIDTHS = 2.576  # standard errors in half a 99% interval
SHOWN = 300
SAID = "warpbook: "


@dataclass(frozen=True)
class Outcome:
    status: RunStatus
    reason: str = ""
    metrics: tuple[MetricSamples, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    comparison: Mapping[str, Any] | None = None


def read(plan: Plan, exit_status: int, stdout: bytes, last_lines: str) -> Outcome:
    """`last_lines` are those of stderr: the message, where there is one."""
    last_lines = message(last_lines)
    if exit_status not in (0, 1):
        return failed(last_lines or f"the measuring process ended with {exit_status}")
    try:
        document = json.loads(stdout)
    except ValueError:
        shown = stdout[:SHOWN].decode(errors="replace").strip()
        return failed(last_lines or f"no JSON document came back, but {shown!r}")
    if not isinstance(document, dict):
        return failed(f"no JSON object came back, but {stdout[:SHOWN].decode(errors='replace')}")
    if exit_status == 1:
        return no_measurement(plan, document, last_lines)
    try:
        return kernel(plan, document) if plan.kind == "kernel" else command(plan, document)
    except (ValueError, KeyError, TypeError) as error:
        return failed(f"what came back is no {plan.kind} document: {error}")


def message(last_lines: str) -> str:
    """The last thing that Warpbook itself said, without what was printed before."""
    lines = last_lines.splitlines()
    said = [i for i, line in enumerate(lines) if line.startswith(SAID)]
    return "\n".join(lines[said[-1] :]).removeprefix(SAID) if said else last_lines


def failed(reason: str) -> Outcome:
    return Outcome(RunStatus.FAILED, reason)


def no_measurement(plan: Plan, document: Mapping[str, Any], last_lines: str) -> Outcome:
    kept = document if plan.kind == "kernel" else None
    if "disqualified" in document:
        return Outcome(RunStatus.DISQUALIFIED, why_disqualified(document), comparison=kept)
    if "invalid" in document:
        return Outcome(RunStatus.INVALID, str(document["invalid"]), comparison=kept)
    return failed(last_lines or "the measuring process said no, and not why")


def why_disqualified(document: Mapping[str, Any]) -> str:
    """`mine is wrong: row 3`, `change crashed: ...`."""
    status, reason = (str(document.get(key) or "") for key in ("status", "reason"))
    verb = f"is {status}" if status in ("wrong", "suspect") else status or "is not correct"
    said = reason.removeprefix(f"{status}: ") if status else reason
    return ": ".join(filter(None, [f"{document['disqualified']} {verb}", said]))


def kernel(plan: Plan, document: Mapping[str, Any]) -> Outcome:
    found = decode(Comparison, document)
    for arm, sha256 in ((plan.baseline, found.a_sha256), (plan.change, found.b_sha256)):
        if arm.sha256 != sha256:
            return failed(
                f"{arm.rung or arm.label} is no longer what was planned: its hash was "
                f"{arm.sha256[:12]} and is {sha256[:12]}; add the experiment anew"
            )
    gain = -math.log(found.ratio)
    error = (math.log(found.high) - math.log(found.low)) / 2 / HALF_WIDTHS
    samples = MetricSamples(plan.metrics[0], found.a_us, found.b_us, gain, error)
    return Outcome(
        RunStatus.MEASURED,
        metrics=(samples,),
        environment=found.environment,
        comparison=document,
    )


def command(plan: Plan, document: Mapping[str, Any]) -> Outcome:
    metrics = decode_metrics(document["metrics"])
    missing = {metric.name for metric in plan.metrics} - {one.metric.name for one in metrics}
    if missing:
        return failed(f"no samples of {', '.join(sorted(missing))} came back")
    return Outcome(RunStatus.MEASURED, metrics=metrics, environment=dict(document["environment"]))


def decode_metrics(items: list[Any]) -> tuple[MetricSamples, ...]:
    return tuple(decode(MetricSamples, item) for item in items)
