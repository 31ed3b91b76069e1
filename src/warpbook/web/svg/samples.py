"""The samples of one run: both arms in the order they were taken, their medians, and the floor."""

import statistics
from collections.abc import Sequence

from warpbook.core.roofs import Floor
from warpbook.core.run import MetricSamples
from warpbook.core.units import digits, microseconds
from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.axes import Frame, dot, label, round_number, spread

WIDTH, HEIGHT = 440, 210
SINGLE = 60  # so many samples of an arm have a tip each
MOST = 1500  # of more, every so-manyth is drawn
NEAR = 0.35  # a floor further below than this part of the fastest sample is told, not drawn


def samples(one: MetricSamples, floor: Floor | None = None) -> Markup:
    """`floor` in microseconds, for a metric that is."""
    values = [*one.baseline, *one.change]
    low = floor.us if floor and drawable(floor, values) else None
    frame = Frame(
        (0.5, max(len(one.baseline), len(one.change), 2) + 0.5),
        spread([*values, *([] if low is None else [low])]),
        width=WIDTH,
        height=HEIGHT,
        x_label="round",
        y_label=f"{one.metric.name}{f', {one.metric.unit}' if one.metric.unit else ''}",
        y_show=short,
        left=54,
    )
    marks = [
        arm(frame, one.baseline, "baseline", 2, one.metric.unit),
        arm(frame, one.change, "change", 1, one.metric.unit),
        bottom(frame, low) if low is not None else Markup(""),
    ]
    return frame.picture(join(marks), described(one, floor))


def short(tick: float) -> str:
    return round_number(tick) if abs(tick) < 1e5 else f"{tick:.2g}"


def drawable(floor: Floor, values: Sequence[float]) -> bool:
    return bool(values) and floor.us >= NEAR * min(values)


def arm(frame: Frame, values: Sequence[float], name: str, series: int, unit: str) -> Markup:
    if not values:
        return Markup("")
    middle = frame.y(statistics.median(values))
    across = f"M{frame.left} {middle}H{frame.width - frame.right}"
    tip = f"{name}: median {digits(statistics.median(values))} {unit}".rstrip()
    line = h(
        '<path class="l{}" d="{}" stroke-width="1.5" stroke-dasharray="6 3" data-tip="{}"/>',
        series, across, tip,
    )  # fmt: skip
    if len(values) <= SINGLE:
        dots = (
            dot(
                frame.x(place),
                frame.y(value),
                f"{name}, round {place}: {digits(value)} {unit}".rstrip(),
                f"s{series}",
                3.5,
            )
            for place, value in enumerate(values, 1)
        )
        return line + join(dots)
    step = -(-len(values) // MOST)
    path = "".join(
        f"M{frame.x(place + 1)} {frame.y(values[place])}h0" for place in range(0, len(values), step)
    )
    return line + h(
        '<path class="l{} dots" d="{}" stroke-width="3" stroke-linecap="round"/>', series, path
    )


def bottom(frame: Frame, low: float) -> Markup:
    at = frame.y(low)
    tip = f"floor: {microseconds(low)}"
    line = h(
        '<path class="floor" d="M{} {}H{}" data-tip="{}"/>',
        frame.left, at, frame.width - frame.right, tip,
    )  # fmt: skip
    return line + label(frame.width - frame.right, at - 4, "floor", anchor="end")


def described(one: MetricSamples, floor: Floor | None) -> str:
    parts = [
        f"{name}: {len(values)} samples, median {digits(statistics.median(values))} "
        f"{one.metric.unit}".rstrip()
        for name, values in (("baseline", one.baseline), ("change", one.change))
        if values
    ]
    if floor:
        parts.append(f"floor {microseconds(floor.us)}")
    return f"{one.metric.name}: " + "; ".join(parts)
