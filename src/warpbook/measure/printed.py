"""The metrics in what a command printed: the last line of stdout that is a JSON object, or all of
stdout where it is one.

A metric is a finite number; whatever else stands in its place is refused by name.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from warpbook.core.effect import Metric, check_samples
from warpbook.core.errors import BadInput

NAMED = 20


def find_object(stdout: str, whole: bool) -> Mapping[str, Any] | None:
    """`whole` says that nothing was printed before."""
    if whole and (found := read_object(stdout)) is not None:
        return found
    lines = re.split(r"[\r\n]", stdout)  # the only ends of a line that JSON cannot contain
    return next(
        (found for line in reversed(lines) if (found := read_object(line)) is not None), None
    )


def read_object(text: str) -> Mapping[str, Any] | None:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def values_of(found: Mapping[str, Any], metrics: Sequence[Metric]) -> list[float]:
    return [value_of(found, metric) for metric in metrics]


def value_of(found: Mapping[str, Any], metric: Metric) -> float:
    if metric.name not in found:
        names = ", ".join(list(found)[:NAMED]) or "nothing"
        raise BadInput(f"there is no {metric.name!r} in its JSON, which has: {names}")
    value = found[metric.name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        shown = json.dumps(value)[:80]
        raise BadInput(f"{metric.name} is {shown}, which is no number")
    try:
        number = float(value)
    except OverflowError:
        raise BadInput(f"{metric.name} is too large a number") from None
    check_samples([number], metric)
    return number
