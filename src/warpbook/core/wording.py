"""Effects, their sizes and the evidence for them, as people read them."""

import math

from warpbook.core.effect import Metric, Scale, plain, show_gain
from warpbook.core.units import UNKNOWN, digits

MOST_TO_ONE = 1e6


def effect(
    metric: Metric, gain: float | None, low: float | None = None, high: float | None = None
) -> str:
    """`1.30x (1.21x-1.39x)`, without the interval where there is none."""
    if gain is None:
        return UNKNOWN
    shown = show_gain(gain, metric)
    return shown if low is None or high is None else f"{shown} ({ends(metric, low, high)})"


def ends(metric: Metric, low: float, high: float) -> str:
    first, second = show_gain(low, metric), show_gain(high, metric)
    separator = "-" if first.endswith("x") else " to "
    return f"{first}{separator}{second}"


def size(gain: float, metric: Metric) -> str:
    """How large an effect is, whichever way: `3%`, `2x`, `0.5 points`."""
    if metric.scale is Scale.DIFFERENCE:
        return plain(abs(gain), metric)
    factor = math.exp(abs(gain))
    return (
        f"{digits(100 * (factor - 1)).rstrip('0').rstrip('.')}%"
        if factor < 2
        else f"{digits(factor)}x"
    )


def evidence(log_support: float, log_refute: float) -> str:
    """`34:1 for`: how much better the runs fit with the claim than without it."""
    side, log_e = max((("for", log_support), ("against", log_refute)), key=lambda pair: pair[1])
    if log_e <= math.log(1.05):
        return "none yet"
    odds = math.exp(min(log_e, 700))
    if odds > MOST_TO_ONE:
        return f"over {MOST_TO_ONE:,.0f}:1 {side}"
    return f"{odds:.{0 if odds >= 9.95 else 1}f}:1 {side}"
