"""What a device did during a run: one small chart for each thing it tells of, on one time axis."""

from collections.abc import Callable, Sequence

from warpbook.book.browse.run import Reading
from warpbook.core.units import digits
from warpbook.web.markup import Markup, h, join
from warpbook.web.svg.axes import Frame, line, spread

WIDTH, HEIGHT = 300, 132
Value = Callable[[Reading], float | None]


def of_percent(reading: Reading) -> float | None:
    return None if reading.utilisation is None else 100 * reading.utilisation


def of_memory(reading: Reading) -> float | None:
    return None if reading.memory_bytes is None else reading.memory_bytes / 1e9


# What is drawn, its unit, and the span it is drawn over where that is always the same.
SHOWN: tuple[tuple[str, str, Value, tuple[float, float] | None], ...] = (
    ("utilisation", "%", of_percent, (0.0, 100.0)),
    ("power", "W", lambda one: one.power_w, None),
    ("clock", "MHz", lambda one: one.clock_mhz, None),
    ("temperature", "°C", lambda one: one.temperature_c, None),
    ("memory in use", "GB", of_memory, None),
)


def charts(readings: Sequence[Reading], began: float, ended: float | None) -> Markup:
    """`began` and `ended` are the run's, in seconds since the epoch; what is told a little before
    and after is drawn too."""
    made = [
        chart(readings, began, ended, *what)
        for what in SHOWN
        if any(what[2](one) is not None for one in readings)
    ]
    return h('<div class="charts">{}</div>', join(made))


def chart(
    readings: Sequence[Reading], began: float, ended: float | None, name: str, unit: str,
    value: Value, over: tuple[float, float] | None,
) -> Markup:  # fmt: skip
    told = [(one.at - began, found) for one in readings if (found := value(one)) is not None]
    values = [found for _, found in told]
    times = [at for at, _ in told]
    end = max(times[-1], 0.0 if ended is None else ended - began)
    frame = Frame(
        (min(times[0], 0.0), max(end, times[0] + 1.0)),
        over or spread(values, 0.15),
        width=WIDTH,
        height=HEIGHT,
        y_label=f"{name}, {unit}",
        x_show=lambda tick: f"{tick:g} s",
        left=44,
        bottom=24,
    )
    points = [(frame.x(at), frame.y(found)) for at, found in told]
    words = (
        f"{name}: from {digits(min(values))} to {digits(max(values))} {unit}, "
        f"last {digits(values[-1])} {unit}"
    )
    single = h('<circle class="s1" cx="{}" cy="{}" r="3"/>', *points[0])
    marks = line(points) if len(points) > 1 else single
    return frame.picture(marks, words)
