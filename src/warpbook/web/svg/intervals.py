"""Intervals below each other on one axis: what was predicted, what each run showed, and what they
show together. Gains in, a picture out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from warpbook.core.effect import Metric, show_gain, show_interval
from warpbook.web.markup import Markup, h, join
from warpbook.web.show import ref
from warpbook.web.svg import effects
from warpbook.web.svg.axes import Scale, label

WIDTH, EDGE, RIGHT = 440, 8, 60
ROW, TOP, BOTTOM = 38, 24, 28


@dataclass(frozen=True)
class Row:
    """`kind` is predicted (a band), run (a dot with a line) or pooled (a diamond). `name` leads to
    what it names; `label` is beside it."""

    label: str
    kind: Literal["predicted", "run", "pooled"]
    value: float | None
    low: float | None
    high: float | None
    tip: str
    name: str = ""


def intervals(rows: Sequence[Row], metric: Metric, least: Sequence[float] = ()) -> Markup:
    """`least` are gains that are claimed at least."""
    reach = [g for row in rows for g in (row.low, row.value, row.high)]
    span, log = effects.axis([*reach, 0.0, *least], metric)
    x = Scale(*span, EDGE, WIDTH - RIGHT, log)
    base = TOP + ROW * len(rows)
    marks = [
        *ticks(x, base, metric),
        upright(x(effects.none(metric)), base, "base"),
        *(upright(x(effects.shown(gain, metric)), base, "least") for gain in least),
        *(drawn(row, metric, x, TOP + ROW * place) for place, row in enumerate(rows)),
    ]
    return h(
        '<svg class="forest stacked" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="group" '
        'aria-label="{2}">{3}</svg>',
        WIDTH, base + BOTTOM, described(rows, metric), join(marks),
    )  # fmt: skip


def described(rows: Sequence[Row], metric: Metric) -> str:
    """The picture in words."""
    return "; ".join(row.tip for row in rows) or f"no effect on {metric.name} yet"


def ticks(x: Scale, base: float, metric: Metric) -> list[Markup]:
    show = effects.tick(metric)
    made = [h('<path class="axis" d="M{} {}H{}"/>', EDGE, base, WIDTH - RIGHT)]
    for tick in x.ticks(4):
        made.append(h('<path class="axis" d="M{} {}V{}"/>', x(tick), TOP - 6, base + 4))
        made.append(label(x(tick), base + 18, show(tick), anchor="middle"))
    return made


def upright(at: float, base: float, kind: str) -> Markup:
    return h('<path class="{}" d="M{} {}V{}"/>', kind, at, TOP - 12, base)


def drawn(row: Row, metric: Metric, x: Scale, top: float) -> Markup:
    y = top + 22
    text = h('<text x="{}" y="{}">{}</text>', EDGE, top + 10, f"{row.name} {row.label}".strip())
    marks = [ref(row.name, text) if row.name else text]
    if row.low is not None and row.high is not None:
        left, right = (x(end) for end in effects.ends(row.low, row.high, metric))
        marks.append(across(row, left, right, y))
    if row.value is not None and row.kind != "predicted":
        at = x(effects.shown(row.value, metric))
        kind, size = ("s1", 4.5) if row.kind == "run" else ("diamond", 6)
        shape = f"M{at - size} {y}l{size} {-size}l{size} {size}l{-size} {size}z"
        if row.kind == "run":
            dot = '<circle class="{}" cx="{}" cy="{}" r="{}" data-tip="{}"/>'
            marks.append(h(dot, kind, at, y, size, row.tip))
        else:
            marks.append(h('<path class="{}" d="{}" data-tip="{}"/>', kind, shape, row.tip))
        shown = show_gain(row.value, metric)
        marks.append(label(WIDTH - RIGHT + 8, y + 4, shown))
    return join(marks)


def across(row: Row, left: float, right: float, y: float) -> Markup:
    if row.kind == "predicted":
        return h(
            '<rect class="foreseen" x="{}" y="{}" width="{}" height="10" rx="3" data-tip="{}"/>',
            left, y - 5, max(round(right - left, 1), 1.5), row.tip,
        )  # fmt: skip
    kind = "whisker" if row.kind == "run" else "whisker pooled"
    return h('<path class="{}" d="M{} {}H{}" data-tip="{}"/>', kind, left, y, right, row.tip)


def predicted(label: str, low: float, high: float, metric: Metric, name: str = "") -> Row:
    tip = f"{name} {label}: {show_interval(low, high, metric)} with 80%".strip()
    return Row(label, "predicted", None, low, high, tip, name)


def of_run(name: str, label: str, gain: float, error: float, metric: Metric) -> Row:
    half = 1.96 * error if math.isfinite(error) else 0.0
    within = show_interval(gain - half, gain + half, metric)
    tip = f"{name}: {show_gain(gain, metric)}, within the run {within}"
    return Row(label, "run", gain, gain - half, gain + half, tip, name)


def pooled(
    label: str, gain: float, low: float | None, high: float | None, metric: Metric, name: str = ""
) -> Row:
    tip = f"{name} {label}: {show_gain(gain, metric)}".strip()
    if low is not None and high is not None:
        tip += f", 95% interval {show_interval(low, high, metric)}"
    return Row(label, "pooled", gain, low, high, tip, name)
