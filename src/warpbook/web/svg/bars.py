"""Upright bars from a base line, such as the minutes of each day."""

from collections.abc import Sequence
from dataclasses import dataclass

from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.axes import Frame, line, plot, round_number

WIDTH, HEIGHT = 620, 200
WIDEST = 44.0


@dataclass(frozen=True)
class Bar:
    """`label` stands below it, where there is room; `tip` says it in words."""

    label: str
    value: float
    tip: str


def bars(shown: Sequence[Bar], said: str, unit: str = "", base: float = 0.0) -> Markup:
    """`said` is what is seen, in words; `unit` stands after the numbers at the left."""
    top = max([*(bar.value for bar in shown), base])
    low = min([*(bar.value for bar in shown), base])
    room = (top - low) * 0.08 or 1.0
    frame = Frame(
        (-0.5, max(len(shown), 1) - 0.5), (low - room * (low < base), top + room), WIDTH, HEIGHT,
        x_show=lambda tick: label_at(shown, tick), y_show=lambda tick: round_number(tick) + unit,
        bottom=30, top=14,
    )  # fmt: skip
    step = (WIDTH - frame.left - frame.right) / max(len(shown), 1)
    width = min(step * 0.8, WIDEST)
    drawn = [one(frame, at, bar, width, base) for at, bar in enumerate(shown) if bar.value != base]
    zero = frame.y(base)
    drawn.append(line([(frame.left, zero), (WIDTH - frame.right, zero)], "axis", 1))
    return plot(frame.picture(join(drawn), said))


def one(frame: Frame, at: int, bar: Bar, width: float, base: float) -> Markup:
    ends = sorted((frame.y(bar.value), frame.y(base)))
    return h(
        '<rect class="s1" x="{}" y="{}" width="{}" height="{}" rx="1.5" data-tip="{}"/>',
        round(frame.x(at) - width / 2, 1), ends[0], round(width, 1),
        round(max(ends[1] - ends[0], 1.0), 1), bar.tip,
    )  # fmt: skip


def label_at(shown: Sequence[Bar], tick: float) -> str:
    at = round(tick)
    return shown[at].label if abs(tick - at) < 1e-6 and 0 <= at < len(shown) else ""
