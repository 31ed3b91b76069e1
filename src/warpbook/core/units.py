"""Numbers as people read them: three significant digits and a unit. Used by every table."""

import math
from collections.abc import Sequence

TIMES = ((1e6, "s"), (1e3, "ms"), (1.0, "us"))
DECIMALS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
SIZES = tuple((scale, f"{prefix}B") for scale, prefix in DECIMALS)
UNKNOWN = "-"


def digits(value: float) -> str:
    """Three significant digits: 0.512, 62.1, 1240; with an exponent from a million on."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    rounded = float(f"{value:.2e}")
    if abs(rounded) >= 1e6:
        return f"{value:.2e}"
    places = 2 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(places, 0)}f}"


def pick(value: float, units: Sequence[tuple[float, str]]) -> tuple[float, str]:
    """The largest unit in which the value, once rounded, is at least 1; the smallest for less."""
    rounded = abs(float(f"{value:.2e}")) if math.isfinite(value) else 0.0
    return next((unit for unit in units if rounded >= unit[0]), units[-1])


def microseconds(us: float | None) -> str:
    if us is None:
        return UNKNOWN
    scale, unit = pick(us, TIMES)
    return f"{digits(us / scale)} {unit}"


def interval_us(middle: float, low: float, high: float) -> str:
    """All three in the middle's unit: `62.1 us (61.9-62.4)`."""
    scale, unit = pick(middle, TIMES)
    return f"{digits(middle / scale)} {unit} ({digits(low / scale)}-{digits(high / scale)})"


def size(count: float) -> str:
    scale, unit = pick(count, SIZES)
    return f"{digits(count / scale)} {unit}"


def bandwidth(bytes_per_s: float) -> str:
    return f"{size(bytes_per_s)}/s"


def rate(operations_per_s: float) -> str:
    scale, prefix = pick(operations_per_s, DECIMALS)
    return f"{digits(operations_per_s / scale)} {prefix}FLOP/s"


def percentage(fraction: float | None) -> str:
    """A whole number from 10% on, where more digits say nothing; one place below."""
    if fraction is None:
        return UNKNOWN
    percent = fraction * 100
    if abs(percent) < 9.95:
        return f"{percent:.1f}%"
    return f"{percent:.0f}%"


def multiple(ratio: float | None) -> str:
    if ratio is None:
        return UNKNOWN
    return f"{digits(ratio)}x"
