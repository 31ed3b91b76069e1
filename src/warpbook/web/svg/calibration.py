"""Predicted against measured, hit rates with their uncertainty, and how sharp predictions were.

Points, tallies and parts in, pictures out. Effects are factors on a log scale, in the direction
that was claimed.
"""

import math
from collections.abc import Sequence

from warpbook.book.browse.calibration import Part, Point, Tally
from warpbook.book.statistics.prediction import COVER
from warpbook.core.effect import show_gain, show_interval
from warpbook.core.units import percentage
from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.axes import Frame, label, line, plot, spread

SIDE = 540
WIDTH, HEIGHT = 520, 210
FARTHEST = 4.0  # gains beyond a factor of 50 are drawn at the edge
LONGEST_TIP = 160
KINDS = {"hit": "hit", "over": "over", "under": "under", "unclear": "unclear"}
FACTORS = "{:g}x"


def drawable(points: Sequence[Point]) -> list[Point]:
    """Those that are compared by ratio and have something measured."""
    return [p for p in points if p.is_ratio and p.measured is not None]


def scatter(points: Sequence[Point]) -> Markup:
    """Of points that are `drawable`."""
    gains = [held(g) for p in points for g in (p.middle, p.measured or 0.0)]
    span = spread([math.exp(gain) for gain in [*gains, 0.0]], log=True)
    frame = Frame(
        span, span, SIDE, SIDE, x_log=True, y_log=True, x_label="predicted effect",
        y_label="measured effect", x_show=FACTORS.format, y_show=FACTORS.format, left=52,
    )  # fmt: skip
    corner = frame.x(span[0]), frame.y(span[0])
    same = [corner, (frame.x(span[1]), frame.y(span[1]))]
    drawn = [
        line(same, "diagonal", 1.5),
        *(line(across, "nothing", 1) for across in nothing(frame)),
        *(one(frame, point) for point in points),
    ]
    hits = sum(point.outcome == "hit" for point in points)
    said = f"{len(points)} predictions against what was measured; {hits} of them hit"
    return plot(frame.picture(join(drawn), said), "points")


def nothing(frame: Frame) -> list[list[tuple[float, float]]]:
    """Where nothing happens: an effect of 1x."""
    (low, high), one_x, one_y = frame.x_span, frame.x(1.0), frame.y(1.0)
    return [
        [(one_x, frame.y(low)), (one_x, frame.y(high))],
        [(frame.x(low), one_y), (frame.x(high), one_y)],
    ]


def held(gain: float) -> float:
    return min(max(gain, -FARTHEST), FARTHEST)


def factor(gain: float, span: tuple[float, float]) -> float:
    return min(max(math.exp(held(gain)), span[0]), span[1])


def one(frame: Frame, point: Point) -> Markup:
    span = frame.x_span
    low, high = (frame.x(factor(end, span)) for end in point.ends)
    x, y = frame.x(factor(point.middle, span)), frame.y(factor(point.measured or 0.0, span))
    kind = KINDS.get(point.outcome, "unclear")
    return h(
        '<g class="{}" data-tip="{}"><path class="reach" d="M{} {}H{}"/><path d="{}"/></g>',
        kind, told(point), low, y, high, shape(kind, x, y),
    )  # fmt: skip


def shape(kind: str, x: float, y: float) -> str:
    """A circle for a hit; a triangle that points down where too much was predicted, up where too
    little; a diamond where it is unclear."""
    if kind == "over":
        return f"M{x - 5:g} {y - 4:g}h10l-5 9z"
    if kind == "under":
        return f"M{x - 5:g} {y + 4:g}h10l-5 -9z"
    if kind == "unclear":
        return f"M{x:g} {y - 5:g}l5 5l-5 5l-5 -5z"
    return f"M{x - 4:g} {y:g}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"


def told(point: Point) -> str:
    predicted = show_interval(point.low, point.high, point.metric)
    measured = show_gain(point.direction * (point.measured or 0.0), point.metric)
    title = point.title or point.claim
    return (
        f"{point.experiment} by {point.author[:40]}: {point.outcome}\n{title[:LONGEST_TIP]}\n"
        f"predicted {predicted}, measured {measured} in {point.runs} run{'s' * (point.runs != 1)}"
    )


def legend() -> Markup:
    said = {
        "hit": "hit: the measured effect lies within the predicted interval",
        "over": "over: more was predicted than came",
        "under": "under: less was predicted than came",
        "unclear": "unclear: the measured interval holds an end of the predicted one",
    }
    parts = (
        h(
            '<span tabindex="0" data-tip="{}"><svg class="points" width="14" height="14" '
            'viewBox="0 0 14 14" aria-hidden="true"><g class="{}"><path d="{}"/></g></svg> {}'
            "</span>",
            tip, kind, shape(kind, 7, 7), kind,
        )
        for kind, tip in said.items()
    )  # fmt: skip
    return h('<div class="swatches">{}</div>', join(parts))


def rate_bar(tally: Tally) -> Markup:
    """The hit rate with its interval, from 0 to 100%, and a line at what was promised."""
    if tally.hit_rate is None or tally.interval is None:
        return h('<span class="none">–</span>')
    low, high = tally.interval
    tip = (
        f"{tally.hits} of {tally.scored} hit: {percentage(tally.hit_rate)}; the rate behind it "
        f"lies between {percentage(low)} and {percentage(high)} (95%); 80% was promised"
    )
    return h(
        '<svg class="rate" viewBox="0 0 200 24" width="200" height="24" role="img" '
        'aria-label="{0}"><g data-tip="{0}"><path class="axis" d="M0 12H200"/><path '
        'class="promised" d="M{1} 2V22"/><path class="l1" stroke-width="3" d="M{2} 12H{3}"/>'
        '<circle class="s1" cx="{4}" cy="12" r="5"/></g></svg>',
        tip, 200 * COVER, round(200 * low, 1), round(200 * high, 1),
        round(200 * tally.hit_rate, 1),
    )  # fmt: skip


def widths(parts: Sequence[Part]) -> Markup:
    """How wide the intervals were, the upper end over the lower: narrow is sharp."""
    values = [math.exp(held(part.width)) for part in parts]
    top = max(values, default=1.1)
    frame = trend_frame(parts, (1.0, 1 + ((top - 1) * 1.15 or 0.1)), "width: upper end over lower")
    wide = min((WIDTH - frame.left - frame.right) / (len(parts) * 1.6), 40)
    drawn = [
        column(frame, place, wide, value, part)
        for place, (value, part) in enumerate(zip(values, parts, strict=True), 1)
    ]
    drawn += dates(frame, parts)
    said = f"the width of predicted intervals over time, last {values[-1]:.2f}x" if values else ""
    return frame.picture(join(drawn), said)


def trend_frame(parts: Sequence[Part], span: tuple[float, float], label_: str) -> Frame:
    show = percentage_tick if span[1] <= 1 else FACTORS.format
    return Frame(
        (0.4, len(parts) + 0.6), span, WIDTH, HEIGHT, y_label=label_, x_show=lambda _: "",
        y_show=show, right=38,
    )  # fmt: skip


def percentage_tick(tick: float) -> str:
    return f"{100 * tick:.0f}%"


def column(frame: Frame, place: int, wide: float, value: float, part: Part) -> Markup:
    top, base = frame.y(value), frame.y(frame.y_span[0])
    tip = f"{value:.2f}x on average over {part.count} predictions\n{when(part)}"
    return h(
        '<rect class="s1" x="{}" y="{}" width="{}" height="{}" rx="2" data-tip="{}"/>',
        round(frame.x(place) - wide / 2, 1), top, round(wide, 1), round(base - top, 1), tip,
    )  # fmt: skip


def rates(parts: Sequence[Part]) -> Markup:
    """How often they hit, with the uncertainty of so few, against what was promised."""
    frame = trend_frame(parts, (0.0, 1.0), "hit rate")
    at, end = frame.y(COVER), WIDTH - frame.right
    drawn = [line([(frame.left, at), (end, at)], "promised", 1.5), label(end + 3, at + 4, "80%")]
    for place, part in enumerate(parts, 1):
        if part.interval is None:
            continue
        low, high = part.interval
        x = frame.x(place)
        tip = f"{part.hits} of {part.scored} hit\n{when(part)}"
        drawn += [
            h('<path class="whisker" d="M{} {}V{}"/>', x, frame.y(low), frame.y(high)),
            h(
                '<circle class="s1" cx="{}" cy="{}" r="5" data-tip="{}"/>',
                x, frame.y(part.hits / part.scored), tip,
            ),
        ]  # fmt: skip
    drawn += dates(frame, parts)
    return frame.picture(join(drawn), "the hit rate over time, against 80%")


def dates(frame: Frame, parts: Sequence[Part]) -> list[Markup]:
    """When the first and the last part began and ended."""
    at = HEIGHT - frame.bottom + 18
    return [
        label(frame.left, at, day(parts[0].first)),
        label(WIDTH - frame.right, at, day(parts[-1].last), anchor="end"),
    ]


def when(part: Part) -> str:
    return f"{day(part.first)} to {day(part.last)}"


def day(iso: str) -> str:
    return iso[:16].replace("T", " ")
