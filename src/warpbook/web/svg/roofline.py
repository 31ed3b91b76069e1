"""The roofline of a ladder: how many operations a second each rung makes, below the roofs of memory
and arithmetic. All rungs of a workload do the same work, so they stand in one column.

And the same as bars, which say only how near each rung is to the floor.
"""

import math
from collections.abc import Sequence

from warpbook.book.browse.ladders import Ladder
from warpbook.book.browse.rungs import Step
from warpbook.core.units import bandwidth, digits, microseconds, percentage, rate
from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.axes import Frame, label, line, plot

WIDTH, HEIGHT = 680, 450
LABEL_STEP = 14
LABEL_AWAY = 30
MOST_LABELS = 20
AROUND = 6.0  # how far the plot goes on either side of the column
BELOW, ABOVE = 2.5, 2.0
KINDS = {"peer": "s2", "rung": "s1", "own": "s4"}


def unit_of(ladder: Ladder) -> str | None:
    """The unit whose operations take longest, or are the most where that is not known."""
    made = ladder.cost.operations if ladder.cost else {}
    slowest = {unit: made[unit] / ladder.roofs[unit] for unit in made if unit in ladder.roofs}
    return max(slowest or made, key=lambda unit: (slowest or made)[unit], default=None)


def why_none(ladder: Ladder) -> str | None:
    """What keeps a roofline from being drawn."""
    if not ladder.timed:
        return "no rung has a time here yet"
    if ladder.cost is None:
        return "these receipts do not say how many bytes and operations the workload takes"
    if unit_of(ladder) is None:
        return "the workload is counted in bytes alone, with no operations"
    if not ladder.roofs:
        return "the roofs of this device are not known"
    return None


def intensity(ladder: Ladder) -> float:
    """Operations a byte."""
    cost, unit = ladder.cost, unit_of(ladder)
    assert cost
    assert unit
    return cost.operations[unit] / (cost.bytes_read + cost.bytes_written)


def roofline(ladder: Ladder) -> Markup:
    """Where `why_none` has no objection."""
    unit = unit_of(ladder) or ""
    assert ladder.cost
    made = ladder.cost.operations[unit]
    steps = sorted(ladder.timed, key=lambda step: step.us or 0.0)
    rates = [made / (step.us or math.inf) * 1e6 for step in steps]
    frame = frame_of(ladder, unit, rates)
    x = frame.x(intensity(ladder))
    places = spaced([frame.y(value) for value in rates[:MOST_LABELS]], HEIGHT - frame.bottom - 6)
    marks = [
        *roofs(frame, ladder, unit),
        h('<path class="column" d="M{} {}V{}"/>', x, frame.top, HEIGHT - frame.bottom),
        *(leader(frame, x, value, at) for value, at in zip(rates, places, strict=False)),
        *(mark(x, frame.y(v), step, v) for step, v in zip(steps, rates, strict=True)),
        *(name(x, at, step) for step, at in zip(steps, places, strict=False)),
    ]
    fastest = steps[0]
    said = (
        f"roofline of {ladder.label} {ladder.workload}: {len(steps)} rungs at "
        f"{digits(intensity(ladder))} operations a byte; the fastest, {fastest.name}, makes "
        f"{rate(rates[0])}"
    )
    return plot(frame.picture(join(marks), said))


def frame_of(ladder: Ladder, unit: str, rates: Sequence[float]) -> Frame:
    across = intensity(ladder)
    memory, compute = ladder.roofs.get("memory"), ladder.roofs.get(unit)
    ridge = compute / memory if memory and compute else across
    tops = [*rates, *([memory * across] if memory else []), *([compute] if compute else [])]
    top = max(tops) * ABOVE
    return Frame(
        (min(across, ridge) / AROUND, max(across * AROUND * 2, ridge * 2.5)),
        (min(min(rates) / BELOW, room_for(len(rates), max(rates), top)), top),
        WIDTH,
        HEIGHT,
        x_label="operations a byte",
        y_label="operations a second",
        x_log=True,
        y_log=True,
        y_show=lambda tick: rate(tick).replace("FLOP/s", "").rstrip(),
        left=56,
    )


def room_for(count: int, fastest: float, top: float) -> float:
    """The low end at which so many names fit below the fastest rung."""
    names = min(count, MOST_LABELS) * LABEL_STEP / (HEIGHT - 70)
    return float(top / (top / fastest) ** (1 / max(1 - names, 0.3)))


def roofs(frame: Frame, ladder: Ladder, unit: str) -> list[Markup]:
    memory, compute = ladder.roofs.get("memory"), ladder.roofs.get(unit)
    start, end = frame.x_span
    ridge = compute / memory if memory and compute else None
    made: list[Markup] = []
    if memory:
        first = max(start, frame.y_span[0] / memory)
        last = min(ridge or end, end, frame.y_span[1] / memory)
        ends = [(frame.x(at), frame.y(at * memory)) for at in (first, last)]
        tip = f"bytes move at {bandwidth(memory)} at best, in this mix of reads and writes"
        made += [line(ends, "roof", 2), slanted(ends, f"memory {bandwidth(memory)}", tip)]
    if compute:
        at = frame.y(compute)
        first_x = frame.x(max(ridge or start, start))
        made += [
            line([(first_x, at), (frame.x(end), at)], "roof", 2),
            label(frame.x(end) - 2, at - 6, f"{unit} {rate(compute)}", anchor="end"),
        ]
    return made


def slanted(ends: Sequence[tuple[float, float]], text: str, tip: str) -> Markup:
    """Along a line, above its lower half."""
    (x1, y1), (x2, y2) = ends
    turn = math.degrees(math.atan2(y2 - y1, x2 - x1))
    x, y = x1 + (x2 - x1) * 0.12, y1 + (y2 - y1) * 0.12
    return h(
        '<text x="{0}" y="{1}" transform="rotate({2} {0} {1})" dy="-7" data-tip="{3}">{4}</text>',
        round(x, 1), round(y, 1), round(turn, 1), tip, text,
    )  # fmt: skip


def spaced(places: Sequence[float], end: float) -> list[float]:
    """From the top down, each where it belongs or just below the one before; all of it above
    `end`."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + LABEL_STEP) if found else place)
    for k in range(len(found) - 1, -1, -1):
        most = end if k == len(found) - 1 else found[k + 1] - LABEL_STEP
        found[k] = round(min(found[k], most), 1)
    return found


def leader(frame: Frame, x: float, value: float, at: float) -> Markup:
    return h(
        '<path class="leader" d="M{} {}L{} {}H{}"/>',
        x + 5, frame.y(value), x + LABEL_AWAY - 10, at, x + LABEL_AWAY - 4,
    )  # fmt: skip


def mark(x: float, y: float, step: Step, value: float) -> Markup:
    return h(
        '<circle class="{}" cx="{}" cy="{}" r="4.5" data-tip="{}"/>',
        KINDS[kind_of(step)], x, y, told(step, value),
    )  # fmt: skip


def name(x: float, at: float, step: Step) -> Markup:
    shown = step.name[:30]
    return h(
        '<text class="rung" x="{}" y="{}" data-tip="{}">{} <tspan class="faint">{}</tspan></text>',
        x + LABEL_AWAY, at + 4, told(step), shown, part(step),
    )  # fmt: skip


def part(step: Step) -> str:
    return percentage(step.mark.fraction) if step.mark and step.mark.fraction else ""


def kind_of(step: Step) -> str:
    return "peer" if step.is_peer else "rung" if step.rung else "own"


def told(step: Step, value: float | None = None) -> str:
    lines = [step.name if not step.rung else f"{step.name}: {step.rung.title}"]
    if step.us:
        lines.append(f"{microseconds(step.us)}, {part(step) or 'unknown'} of the floor")
    if value:
        lines.append(rate(value))
    return "\n".join(lines)


def bars(ladder: Ladder) -> Markup:
    """How near each rung comes to the floor, in the ladder's order; a full bar is at it."""
    timed = [step for step in ladder.timed if step.mark and step.mark.fraction]
    rows = join(bar(step, ladder) for step in timed)
    return h('<div class="nearness" role="list" aria-label="fraction of the floor">{}</div>', rows)


def bar(step: Step, ladder: Ladder) -> Markup:
    mark_ = step.mark
    assert mark_
    fraction = mark_.fraction or 0.0
    best = ladder.best is step
    return h(
        '<div role="listitem" class="{}"><span class="who">{}</span><span class="track">'
        '<span style="width:{}%"></span></span><b>{}</b></div>',
        f"{kind_of(step)}{' best' if best else ''}",
        step.name[:40],
        round(min(fraction, 1.0) * 100, 1),
        percentage(fraction),
    )
