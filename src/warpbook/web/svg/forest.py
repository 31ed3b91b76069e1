"""The runs of a hypothesis, one a line, each with its effect and error, and what they say together.

Gains in, a picture out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from warpbook.core.effect import Metric, show_gain, show_interval
from warpbook.web.markup import Markup, h, join
from warpbook.web.show import ref
from warpbook.web.svg import effects
from warpbook.web.svg.axes import Scale, label

WIDTH, LEFT, RIGHT = 720, 92, 96
ROW, TOP, BOTTOM = 24, 22, 40


@dataclass(frozen=True)
class Shown:
    """One run: `error` is its standard error within the run."""

    name: str
    gain: float
    error: float
    purpose: str


@dataclass(frozen=True)
class Forest:
    """All are gains. `pooled` is the estimate with its interval, `predicted` the last interval
    that was locked, `least` what is claimed."""

    metric: Metric
    runs: Sequence[Shown]
    pooled: tuple[float, float | None, float | None] | None
    predicted: tuple[float, float] | None
    least: float


def forest(of: Forest) -> Markup:
    rows = len(of.runs) + (of.pooled is not None)
    height = TOP + ROW * rows + BOTTOM
    reach = [g for run in of.runs for g in (run.gain - wide(run), run.gain + wide(run))]
    pooled, predicted = of.pooled or (), of.predicted or ()
    span, log = effects.axis([*reach, *pooled, *predicted, 0.0, of.least], of.metric)
    x = Scale(*span, LEFT, WIDTH - RIGHT, log)
    base = TOP + ROW * rows
    marks = [
        *band(of, x, base),
        *ticks(x, base, of.metric),
        *upright(x, effects.none(of.metric), base, "baseline", "base", "end"),
        *upright(x, effects.shown(of.least, of.metric), base, "claimed", "least", "start"),
        *(one(run, of.metric, x, TOP + ROW * (i + 0.5)) for i, run in enumerate(of.runs)),
        *together(of, x, base - ROW / 2),
    ]
    return h(
        '<svg class="forest" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="group" '
        'aria-label="the effect of each of {2} runs">{3}</svg>',
        WIDTH, height, len(of.runs), join(marks),
    )  # fmt: skip


def wide(run: Shown) -> float:
    return 1.96 * run.error


def band(of: Forest, x: Scale, base: float) -> list[Markup]:
    """What was predicted."""
    if of.predicted is None:
        return []
    low, high = effects.ends(*of.predicted, of.metric)
    tip = f"predicted with 80%: {show_interval(*of.predicted, of.metric)}"
    return [
        h(
            '<rect class="predicted" x="{}" y="{}" width="{}" height="{}" data-tip="{}"/>',
            x(low), TOP, max(x(high) - x(low), 1), base - TOP, tip,
        )
    ]  # fmt: skip


def ticks(x: Scale, base: float, metric: Metric) -> list[Markup]:
    show = effects.tick(metric)
    made = [h('<path class="axis" d="M{} {}H{}"/>', LEFT, base, WIDTH - RIGHT)]
    for tick in x.ticks():
        made.append(h('<path class="axis" d="M{} {}V{}"/>', x(tick), TOP, base + 4))
        made.append(label(x(tick), base + 18, show(tick), anchor="middle"))
    return made


def upright(x: Scale, value: float, base: float, name: str, kind: str, anchor: str) -> list[Markup]:
    at = x(value)
    return [
        h('<path class="{}" d="M{} {}V{}"/>', kind, at, TOP - 4, base),
        label(at + (3 if anchor == "start" else -3), TOP - 8, name, anchor=anchor),
    ]


def one(run: Shown, metric: Metric, x: Scale, y: float) -> Markup:
    low, high = effects.ends(run.gain - wide(run), run.gain + wide(run), metric)
    at = x(effects.shown(run.gain, metric))
    text = show_gain(run.gain, metric)
    within = show_interval(run.gain - wide(run), run.gain + wide(run), metric)
    tip = f"{run.name}: {text}, within the run {within}; for {run.purpose}"
    kind = "s4" if run.purpose == "confirm" else "s1"
    return join(
        [
            ref(run.name, h('<text x="0" y="{}">{}</text>', y + 4, run.name)),
            h('<path class="whisker" d="M{} {}H{}"/>', x(low), y, x(high)),
            h('<circle class="{}" cx="{}" cy="{}" r="4.5" data-tip="{}"/>', kind, at, y, tip),
            label(WIDTH - RIGHT + 8, y + 4, text),
        ]
    )


def together(of: Forest, x: Scale, y: float) -> list[Markup]:
    """The diamond of the pooled estimate."""
    if of.pooled is None:
        return []
    gain, low, high = of.pooled
    at = x(effects.shown(gain, of.metric))
    left, right = at - 5, at + 5
    tip = f"together: {show_gain(gain, of.metric)}"
    if low is not None and high is not None:
        left, right = (x(end) for end in effects.ends(low, high, of.metric))
        tip += f", 95% interval {show_interval(low, high, of.metric)}"
    path = f"M{left} {y}L{at} {y - 7}L{right} {y}L{at} {y + 7}Z"
    return [
        h('<text class="strong" x="0" y="{}">together</text>', y + 4),
        h('<path class="diamond" d="{}" data-tip="{}"/>', path, tip),
        h(
            '<text class="strong" x="{}" y="{}">{}</text>',
            WIDTH - RIGHT + 8, y + 4, show_gain(gain, of.metric),
        ),
    ]  # fmt: skip
