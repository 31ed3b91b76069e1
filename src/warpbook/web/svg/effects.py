"""Effects on an axis: gains as the factor or the difference that people read, and its ticks."""

import math
from collections.abc import Callable, Iterable

from warpbook.core.effect import Metric, Scale
from warpbook.web.svg.axes import spread

FARTHEST = 30.0  # gains beyond a factor of 10^13 are drawn at the edge
LOG_FROM = 6.0  # a span of factors so wide is drawn in logs


def shown(gain: float, metric: Metric) -> float:
    """The number that stands on the axis."""
    if metric.scale is Scale.DIFFERENCE:
        return metric.sign * gain + 0.0
    return math.exp(min(max(gain, -FARTHEST), FARTHEST))


def ends(low: float, high: float, metric: Metric) -> tuple[float, float]:
    first, second = sorted((shown(low, metric), shown(high, metric)))
    return first, second


def axis(gains: Iterable[float | None], metric: Metric) -> tuple[tuple[float, float], bool]:
    """The span of an axis that shows these gains, and whether it is in logs."""
    values = [shown(gain, metric) for gain in gains if gain is not None and math.isfinite(gain)]
    ratio = metric.scale is Scale.RATIO
    log = ratio and bool(values) and max(values) / min(values) > LOG_FROM
    return spread(values, log=log), log


def tick(metric: Metric) -> Callable[[float], str]:
    if metric.scale is Scale.DIFFERENCE:
        return lambda value: f"{value:+.3g} {metric.unit}".rstrip()
    return lambda value: f"{value:g}x"


def none(metric: Metric) -> float:
    """Where nothing happens."""
    return shown(0.0, metric)
