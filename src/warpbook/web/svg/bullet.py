"""How far a campaign has come: the baseline, the best so far, the goal, and the floor beyond which
nothing is possible, on one line. Gains in, a picture out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from warpbook.core.effect import Metric, show_gain, show_interval
from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.axes import Scale, label

WIDTH, HEIGHT = 520, 58
LEFT, RIGHT = 8, 8
TOP, BOTTOM = 8, 32
LETTER = 6.4  # about as wide as a letter is
ROOM = 6


@dataclass(frozen=True)
class Bullet:
    """Gains; None where there is none. `limit` is what a kernel at the floor would gain."""

    metric: Metric
    best: float | None
    low: float | None = None
    high: float | None = None
    goal: float | None = None
    limit: float | None = None


def bullet(of: Bullet) -> Markup:
    gains = (0.0, of.best, of.low, of.high, of.goal, of.limit)
    known = [gain for gain in gains if gain is not None and math.isfinite(gain)]
    low, high = min(known), max(known)
    room = max((high - low) * 0.08, 0.02)
    x = Scale(low - room, high + room, LEFT, WIDTH - RIGHT)
    marks = join([track(), *beyond(of, x), *bar(of, x), *lines(of, x)])
    return h(
        '<svg class="bullet" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" '
        'aria-label="{2}">{3}</svg>',
        WIDTH, HEIGHT, words(of), marks,
    )  # fmt: skip


def track() -> Markup:
    return h(
        '<rect class="track" x="{}" y="{}" width="{}" height="{}" rx="4"/>',
        LEFT, TOP + 4, WIDTH - LEFT - RIGHT, BOTTOM - TOP - 8,
    )  # fmt: skip


def beyond(of: Bullet, x: Scale) -> list[Markup]:
    """What the floor rules out."""
    if of.limit is None:
        return []
    start = x(of.limit)
    tip = f"the floor: on this device at most {show_gain(of.limit, of.metric)} is possible"
    return [
        h(
            '<rect class="beyond" x="{}" y="{}" width="{}" height="{}" data-tip="{}"/>',
            start, TOP, max(WIDTH - RIGHT - start, 0), BOTTOM - TOP, tip,
        )
    ]  # fmt: skip


def bar(of: Bullet, x: Scale) -> list[Markup]:
    if of.best is None:
        return []
    start, end = sorted((x(0.0), x(of.best)))
    kind = "best" if of.best >= 0 else "best worse"
    tip = f"best so far: {show_gain(of.best, of.metric)}"
    made = [
        h(
            '<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2" data-tip="{}"/>',
            kind, start, TOP + 7, max(end - start, 1.5), BOTTOM - TOP - 14, tip,
        )
    ]  # fmt: skip
    if of.low is not None and of.high is not None:
        middle = (TOP + BOTTOM) / 2
        left, right = x(of.low), x(of.high)
        path = f"M{left} {middle - 4}v8M{left} {middle}H{right}M{right} {middle - 4}v8"
        tip = f"95% interval: {show_interval(of.low, of.high, of.metric)}"
        made.append(h('<path class="whisker" d="{}" data-tip="{}"/>', path, tip))
    return made


def lines(of: Bullet, x: Scale) -> list[Markup]:
    """The baseline, the goal and the floor as lines with their names beneath, as far as there is
    room; the names that matter more come first."""
    wanted = [(0.0, "baseline", "base"), (of.goal, "goal", "goal"), (of.limit, "floor", "floor")]
    here = [(gain, name, kind) for gain, name, kind in wanted if gain is not None]
    made, taken = [], list[tuple[float, float]]()
    for gain, name, kind in here:
        at = x(gain)
        made.append(h('<path class="{}" d="M{} {}V{}"/>', kind, at, TOP - 4, BOTTOM + 4))
        text = f"{name} {show_gain(gain, of.metric)}"
        half = len(text) * LETTER / 2
        middle = place(taken, at, half)
        if middle is not None:
            taken.append((middle - half, middle + half))
            made.append(label(middle, HEIGHT - 8, text, anchor="middle"))
    return made


def place(taken: Sequence[tuple[float, float]], at: float, half: float) -> float | None:
    """Where a name fits beneath its line, or beside it; None where it does not."""
    last = max((right for _, right in taken), default=0.0)
    for wanted in (at, last + half + ROOM):
        middle = min(max(wanted, half + 2), WIDTH - half - 2)
        clear = all(middle + half < left or right < middle - half for left, right in taken)
        if clear and abs(middle - at) <= half:
            return middle
    return None


def words(of: Bullet) -> str:
    parts = [f"best so far {show_gain(of.best, of.metric)}" if of.best is not None else "no best"]
    if of.goal is not None:
        parts.append(f"goal {show_gain(of.goal, of.metric)}")
    if of.limit is not None:
        parts.append(f"the floor allows {show_gain(of.limit, of.metric)}")
    return ", ".join(parts)
