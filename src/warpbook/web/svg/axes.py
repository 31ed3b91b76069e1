"""A plot's frame: scales, ticks, grid and labels around marks that the caller draws.

Knows nothing of what is plotted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from warpbook.web.markup import Markup, attributes, h, join

LEAST_SPAN = 1e-12
STEPS = (1.0, 2.0, 5.0, 10.0)
MOST_DECADES = 8
NARROW = 4.0


@dataclass(frozen=True)
class Scale:
    """From values to pixels; `log` scales need values above 0."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = (self._even(v) for v in (self.low, self.high, value))
        part = (value - low) / max(high - low, LEAST_SPAN)
        return round(self.start + part * (self.end - self.start), 1)

    def _even(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value

    def ticks(self, count: int = 5) -> list[float]:
        return (
            log_ticks(self.low, self.high) if self.log else even_ticks(self.low, self.high, count)
        )


def even_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers within the span."""
    span = max(high - low, LEAST_SPAN)
    rough = span / max(count, 1)
    power = 10 ** math.floor(math.log10(rough))
    step = next((s * power for s in STEPS if s * power >= rough * 0.999), 10 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten; within two decades also their doubles and halves; of a narrow span any round
    numbers."""
    if high / low < NARROW:
        return even_ticks(low, high)
    bottom, top = math.floor(math.log10(low)), math.ceil(math.log10(high))
    if top - bottom > MOST_DECADES:
        every = math.ceil((top - bottom) / MOST_DECADES)
        made = [10.0**k for k in range(bottom, top + 1, every)]
    else:
        parts = (1.0, 2.0, 5.0) if top - bottom <= 2 else (1.0,)
        made = [10.0**k * part for k in range(bottom, top + 1) for part in parts]
    return [tick for tick in made if low * 0.999 <= tick <= high * 1.001]


def spread(values: Sequence[float], pad: float = 0.06, log: bool = False) -> tuple[float, float]:
    """The span of the values with some room around it; never empty."""
    known = [value for value in values if math.isfinite(value) and (not log or value > 0)]
    if not known:
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = min(known), max(known)
    if log:
        room = max(math.log10(high / low) * pad, 0.05)
        return low / 10**room, high * 10**room
    room = (high - low) * pad or abs(high) * 0.1 or 1.0
    return low - room, high + room


def round_number(tick: float) -> str:
    return f"{tick:,g}" if abs(tick) < 1e6 else f"{tick:.0e}"


@dataclass(frozen=True)
class Frame:
    """A plot with its margins. Draw with `x` and `y`, then put the marks into `picture`."""

    x_span: tuple[float, float]
    y_span: tuple[float, float]
    width: int = 640
    height: int = 260
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = False
    x_show: Callable[[float], str] = round_number
    y_show: Callable[[float], str] = round_number
    left: int = 62
    bottom: int = 40
    top: int = 30
    right: int = 14
    x: Scale = field(init=False)
    y: Scale = field(init=False)

    def __post_init__(self) -> None:
        across = Scale(*self.x_span, self.left, self.width - self.right, self.x_log)
        up = Scale(*self.y_span, self.height - self.bottom, self.top, self.y_log)
        object.__setattr__(self, "x", across)
        object.__setattr__(self, "y", up)

    def picture(self, marks: Markup, label: str) -> Markup:
        """`label` says in words what is seen, for those who do not see it."""
        return h(
            '<svg viewBox="0 0 {} {}" role="img" aria-label="{}" width="{}" height="{}">{}{}</svg>',
            self.width,
            self.height,
            label,
            self.width,
            self.height,
            self._grid(),
            marks,
        )

    def _grid(self) -> Markup:
        base, end = self.height - self.bottom, self.width - self.right
        made = [
            h('<path class="axis" d="M{} {}V{}H{}"/>', self.left, self.top, base, end),
            *(self._x_tick(tick, base) for tick in self.x.ticks()),
            *(self._y_tick(tick, end) for tick in self.y.ticks()),
        ]
        if self.x_label:
            middle = (self.left + end) / 2
            made.append(label(middle, self.height - 6, self.x_label, anchor="middle"))
        if self.y_label:
            made.append(label(4, self.top - 24, self.y_label, dominant="hanging"))
        return join(made)

    def _x_tick(self, tick: float, base: float) -> Markup:
        at = self.x(tick)
        line = h('<path class="axis" d="M{} {}v4"/>', at, base)
        return line + label(at, base + 16, self.x_show(tick), anchor="middle")

    def _y_tick(self, tick: float, end: float) -> Markup:
        at = self.y(tick)
        line = h('<path class="axis" d="M{} {}H{}"/>', self.left, at, end)
        return line + label(self.left - 6, at + 4, self.y_show(tick), anchor="end")


def plot(picture: Markup, kind: str = "") -> Markup:
    """A picture that is not made smaller than can be read: on a narrow screen it scrolls."""
    return h(
        '<div class="scroll plot {}" tabindex="0" role="group" aria-label="picture">{}</div>',
        kind, picture,
    )  # fmt: skip


def label(x: float, y: float, text: str, anchor: str = "", dominant: str = "") -> Markup:
    where = attributes(text_anchor=anchor or None, dominant_baseline=dominant or None)
    return h('<text x="{}" y="{}"{}>{}</text>', x, y, where, text)


def dot(x: float, y: float, tip: str, kind: str = "s1", radius: float = 4) -> Markup:
    return h('<circle class="{}" cx="{}" cy="{}" r="{}" data-tip="{}"/>', kind, x, y, radius, tip)


def line(points: Sequence[tuple[float, float]], kind: str = "l1", width: float = 1.5) -> Markup:
    if not points:
        return Markup("")
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    return h('<path class="{}" d="{}" stroke-width="{}"/>', kind, path, width)


def span(x1: float, x2: float, y: float, tip: str, kind: str = "l1", width: float = 3) -> Markup:
    """A horizontal interval."""
    return h(
        '<path class="{}" d="M{} {}H{}" stroke-width="{}" data-tip="{}"/>',
        kind, x1, y, x2, width, tip,
    )  # fmt: skip
