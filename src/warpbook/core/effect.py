"""A metric, and the effect of a change on it: as people type it, as the book keeps it, and from
the samples of two arms.

An effect is kept as a gain, oriented so that positive is better: the log of a ratio, or a plain
difference where the metric says so. Knows nothing of hypotheses or of verdicts.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from warpbook.core.errors import BadInput
from warpbook.core.units import digits

LEAST_BLOCKS = 2  # one block says nothing of its error
NUMBER = re.compile(r"([+-]?)((?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)", re.ASCII)


class Better(StrEnum):
    LOWER = "lower"
    HIGHER = "higher"


class Scale(StrEnum):
    RATIO = "ratio"
    DIFFERENCE = "difference"


@dataclass(frozen=True)
class Metric:
    name: str
    unit: str = ""
    better: Better = Better.LOWER
    scale: Scale = Scale.RATIO

    def __post_init__(self) -> None:
        """Plain words do as well: `Metric("accuracy", "points", "higher", "difference")`."""
        object.__setattr__(self, "better", Better(self.better))
        object.__setattr__(self, "scale", Scale(self.scale))

    @property
    def sign(self) -> int:
        """Of a gain, where the metric itself rises."""
        return 1 if self.better is Better.HIGHER else -1


KERNEL_TIME = Metric("time_us", "us", Better.LOWER, Scale.RATIO)


@dataclass(frozen=True)
class Typed:
    """An effect as it was typed: its number and the form it was written in, and what they mean."""

    number: float
    form: str
    gain: float


def parse_metric(text: str) -> Metric:
    """`NAME[:lower|higher[:ratio|difference[:unit]]]`; a word left empty takes its default."""
    name, *words = text.split(":", 3)
    better, scale, unit = [*words, "", "", ""][:3]
    if not name.strip():
        raise BadInput(f"the metric {text!r} has no name; write NAME:lower:ratio:unit")
    if better not in ("", *Better):
        raise BadInput(f"the metric {text!r} has better {better!r}: write lower or higher")
    if scale not in ("", *Scale):
        raise BadInput(f"the metric {text!r} has scale {scale!r}: write ratio or difference")
    return Metric(
        name.strip(), unit.strip(), Better(better or Better.LOWER), Scale(scale or Scale.RATIO)
    )


def parse_gain(text: str, metric: Metric) -> float:
    """`1.3x` is better by that factor; `-20%`, or `+0.5` on a difference scale, is how the metric
    itself changes."""
    return parse_typed(text, metric).gain


def parse_interval(text: str, metric: Metric) -> tuple[float, float]:
    """`1.2x..1.6x` as gains, the lower first."""
    first, dots, second = text.partition("..")
    if not dots:
        raise BadInput(f"{text!r} is no interval: write {example_interval(metric)}")
    low, high = parse_typed(first, metric), parse_typed(second, metric)
    if low.form != high.form:
        raise BadInput(
            f"the ends of {text!r} are written in two ways: write {example_interval(metric)}"
        )
    if low.number > high.number:
        turned = f"{second.strip()}..{first.strip()}"
        raise BadInput(f"{text!r} is upside down: write {turned}")
    if low.gain == high.gain:
        raise BadInput(f"{text!r} has no width: give a lower and a higher end")
    return min(low.gain, high.gain), max(low.gain, high.gain)


def parse_least(text: str, metric: Metric) -> float:
    """The least effect that matters, as a positive gain: `3%`, `1.05x`, or `0.5` on a difference
    scale."""
    example = "3% or 1.05x" if metric.scale is Scale.RATIO else plain(0.5, metric)
    number, form, sign = read_number(text, metric, example)
    if sign == "-":
        raise BadInput(f"the least effect {text!r} is a size, without a sign: write {example}")
    gain = number
    if form == "factor":
        gain = math.log(number) if number > 0 else 0.0
    elif form == "percent":
        gain = math.log1p(number / 100)
    if gain <= 0:
        raise BadInput(f"the least effect {text!r} is none at all: write {example}")
    return gain


def parse_typed(text: str, metric: Metric) -> Typed:
    number, form, sign = read_number(text, metric, example_gain(metric))
    if form == "factor":
        if number <= 0:
            raise BadInput(f"{text.strip()!r} is no factor: write one above zero, such as 1.3x")
        return Typed(number, form, math.log(number))
    if not sign and number and metric.better is Better.LOWER:
        raise BadInput(
            f"{text.strip()!r} does not say whether {metric.name} falls or rises: write "
            f"-{text.strip()} or +{text.strip()}"
        )
    if form == "difference":
        return Typed(number, form, metric.sign * number + 0.0)
    if number <= -100:
        raise BadInput(f"{text.strip()!r} leaves nothing of {metric.name}: write more than -100%")
    return Typed(number, form, metric.sign * math.log1p(number / 100) + 0.0)


def read_number(text: str, metric: Metric, example: str) -> tuple[float, str, str]:
    """The number, the form it is written in, and its sign as typed."""
    wanted = f"write {example}"
    found = NUMBER.fullmatch(text.strip().replace("\N{MINUS SIGN}", "-"))
    if found is None:
        raise BadInput(f"{text.strip()!r} is no effect: {wanted}")
    sign, value, suffix = found.groups()
    number = float(sign + value)
    if not math.isfinite(number):
        raise BadInput(f"{text.strip()!r} is no finite effect: {wanted}")
    if metric.scale is Scale.DIFFERENCE:
        if suffix not in ("", metric.unit):
            raise BadInput(f"{metric.name} is compared by difference, not by {suffix!r}: {wanted}")
        return number, "difference", sign
    form = {"x": "factor", "X": "factor", "\N{MULTIPLICATION SIGN}": "factor", "%": "percent"}
    if suffix not in form:
        raise BadInput(
            f"{metric.name} is compared by ratio, and {text.strip()!r} is none: {wanted}"
        )
    return number, form[suffix], sign


def example_gain(metric: Metric) -> str:
    if metric.scale is Scale.DIFFERENCE:
        return f"{plain(0.5, metric, '+')} or {plain(-1.0, metric, '+')}"
    return "1.3x, -20% or +5%"


def example_interval(metric: Metric) -> str:
    if metric.scale is Scale.DIFFERENCE:
        return f"+0.5..{plain(1.5, metric, '+')}"
    return "1.2x..1.6x"


def plain(number: float, metric: Metric, sign: str = "") -> str:
    return f"{number:{sign}.3g} {metric.unit}".rstrip()


def show_gain(gain: float, metric: Metric) -> str:
    """`1.30x`, or how the metric itself changes on a difference scale: `+0.5 points`."""
    if math.isnan(gain):
        return "-"
    if metric.scale is Scale.DIFFERENCE:
        return plain(metric.sign * gain + 0.0, metric, "+")
    return f"{show_factor(gain)}x"


def show_interval(low: float, high: float, metric: Metric) -> str:
    """As people type it: `1.20x..1.60x`."""
    if metric.scale is Scale.DIFFERENCE:
        first, second = sorted((metric.sign * low + 0.0, metric.sign * high + 0.0))
        return f"{first:+.3g}..{plain(second, metric, '+')}"
    return f"{show_gain(low, metric)}..{show_gain(high, metric)}"


def show_factor(gain: float) -> str:
    factor = math.exp(gain) if gain < 700 else math.inf
    return f"{factor:.2f}" if 0.1 <= factor < 10 else digits(factor)


def check_samples(samples: Sequence[float], metric: Metric) -> None:
    for sample in samples:
        if not math.isfinite(sample):
            raise BadInput(f"{metric.name} is {sample}, which is no finite number")
        if metric.scale is Scale.RATIO and sample <= 0:
            raise BadInput(
                f"{metric.name} is {sample:g}, and a ratio needs a number above zero; "
                "give the metric the scale difference if that is a value it can have"
            )


def blocks_gain(a: Sequence[float], b: Sequence[float], metric: Metric) -> tuple[float, float]:
    """The mean gain of B over A and its standard error, from rounds taken in the order A B B A:
    rounds 2k and 2k + 1 of both arms form block k, and a steady drift cancels within it."""
    check_samples((*a, *b), metric)
    if len(a) != len(b) or len(a) % 2 or len(a) < 2 * LEAST_BLOCKS:
        raise BadInput(
            f"{len(a)} and {len(b)} samples of {metric.name}: both arms have two in each of at "
            f"least {LEAST_BLOCKS} blocks"
        )
    import numpy as np  # a quarter of `warpbook --help`, which has no use for it

    rounds = np.array([a, b], dtype=np.float64)
    if metric.scale is Scale.RATIO:
        rounds = np.log(rounds)
    blocks = rounds.reshape(2, -1, 2).mean(axis=2)  # [arm, block]
    gains = metric.sign * (blocks[1] - blocks[0])
    return float(gains.mean()) + 0.0, float(gains.std(ddof=1) / math.sqrt(len(gains)))
