"""The times of one rung over the days, with their intervals and the floor."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from warpbook.book.browse.marks import Mark
from warpbook.core.units import interval_us, microseconds
from warpbook.web.markup import Markup, h, join
from warpbook.web.show import parsed
from warpbook.web.svg.axes import Frame, dot, label, line, plot, spread

WIDTH, HEIGHT = 620, 230
KINDS = {"judgement": "s1", "comparison": "s2", "run": "s3"}
DAY = 86400.0
LOG_FROM = 4.0


def times(marks: Sequence[Mark]) -> Markup:
    """The newest first, as they come; each has a time."""
    known = [(at.timestamp(), mark) for mark in marks if (at := parsed(mark.at)) and mark.us]
    ends = [us for _, m in known for us in (m.us, m.low_us, m.high_us) if us]
    floor = next((m.floor_us for _, m in known if m.floor_us), None)
    shown = [*ends, floor] if floor else ends
    log = max(shown) / min(shown) > LOG_FROM
    days = [at for at, _ in known]
    low, high = min(days), max(days)
    room = max((high - low) * 0.05, 30.0)
    frame = Frame(
        (low - room, high + room), spread(shown, log=log), WIDTH, HEIGHT,
        y_log=log, y_show=microseconds, x_show=clock(high - low), left=74,
    )  # fmt: skip
    drawn = [
        *rule(frame, floor),
        *(whisker(frame, at, mark) for at, mark in known),
        line([(frame.x(at), frame.y(m.us or 0)) for at, m in known], "faint-line", 1),
        *(
            dot(frame.x(at), frame.y(m.us or 0), told(m), KINDS.get(m.kind, "s1"))
            for at, m in known
        ),
    ]
    said = f"{len(known)} times, the last {microseconds(known[0][1].us)}"
    return plot(frame.picture(join(drawn), said))


def clock(seconds: float) -> Callable[[float], str]:
    form = "%H:%M:%S" if seconds < 600 else "%H:%M" if seconds < DAY else "%d %b"
    return lambda tick: datetime.fromtimestamp(tick, UTC).strftime(form)


def rule(frame: Frame, floor: float | None) -> list[Markup]:
    if floor is None:
        return []
    at, end = frame.y(floor), WIDTH - frame.right
    return [
        line([(frame.left, at), (end, at)], "roof", 1.5),
        label(end - 2, at - 5, f"floor {microseconds(floor)}", anchor="end"),
    ]


def whisker(frame: Frame, at: float, mark: Mark) -> Markup:
    if not mark.low_us or not mark.high_us:
        return Markup("")
    x = frame.x(at)
    return h(
        '<path class="whisker" d="M{} {}V{}"/>', x, frame.y(mark.low_us), frame.y(mark.high_us)
    )


def told(mark: Mark) -> str:
    us, low, high = mark.us or 0.0, mark.low_us or mark.us or 0.0, mark.high_us or mark.us or 0.0
    lines = [interval_us(us, low, high), f"{mark.kind} {mark.source}".strip(), mark.software]
    return "\n".join([*filter(None, lines), f"{mark.at[:19].replace('T', ' ')} UTC"])
