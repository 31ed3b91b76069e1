"""A hypothesis over its evaluations: its belief, and its effect with the interval.

Points in, pictures out. Knows nothing of how either is worked out.
"""

from collections.abc import Sequence

from warpbook.book.browse.beliefs import Point
from warpbook.core.effect import Metric, show_gain, show_interval
from warpbook.web.markup import Markup, h, join
from warpbook.web.show import chance_shown
from warpbook.web.svg import effects
from warpbook.web.svg.axes import Frame, dot, label, line

KINDS = {"supported": "s3", "refuted": "s2", "open": "s1"}
WIDTH, HEIGHT = 560, 220
MANY = 60
LONGEST_CAUSE = 160


def belief(points: Sequence[Point]) -> Markup:
    """A step at each evaluation; the dots have the colour of the verdict then."""
    frame = Frame(
        span(points), (0.0, 1.0), WIDTH, HEIGHT, x_show=whole, y_show=percent,
        x_label="evaluations, the oldest first",
    )  # fmt: skip
    steps: list[tuple[float, float]] = []
    for place, point in enumerate(points, 1):
        at = frame.x(place), frame.y(point.belief)
        if steps:
            steps.append((at[0], steps[-1][1]))
        steps.append(at)
    half = frame.y(0.5)
    even = h('<path class="even" d="M{} {}H{}"/>', frame.left, half, WIDTH - frame.right)
    dots = join(
        dot(frame.x(place), frame.y(p.belief), told(p), KINDS.get(p.verdict, "s1"), radius(points))
        for place, p in enumerate(points, 1)
    )
    last = chance_shown(points[-1].belief) if points else "not known"
    return frame.picture(even + line(steps) + dots, f"belief over time, now {last}")


def effect(points: Sequence[Point], metric: Metric, least: float) -> Markup:
    """The estimate after each evaluation, the interval around it, and the least effect claimed;
    `least` is a gain."""
    seen = [(place, p) for place, p in enumerate(points, 1) if p.estimate is not None]
    gains = [g for _, p in seen for g in (p.estimate, p.low, p.high)]
    y_span, log = effects.axis([*gains, 0.0, least], metric)
    frame = Frame(
        span(points), y_span, WIDTH, HEIGHT, x_show=whole, y_show=effects.tick(metric), y_log=log,
        x_label="evaluations, the oldest first", left=78,
    )  # fmt: skip
    end = WIDTH - frame.right
    marks = [
        *rule(frame, effects.none(metric), "baseline", "base", frame.left + 4, "start"),
        *rule(frame, effects.shown(least, metric), "claimed", "least", end - 4, "end"),
        *(whisker(frame, place, p, metric) for place, p in seen),
        line([(frame.x(place), frame.y(middle(p, metric))) for place, p in seen]),
        *(
            dot(
                frame.x(place), frame.y(middle(p, metric)), measured(p, metric),
                KINDS.get(p.verdict, "s1"), radius(points),
            )
            for place, p in seen
        ),
    ]  # fmt: skip
    return frame.picture(join(marks), "the effect over time, with its interval")


def span(points: Sequence[Point]) -> tuple[float, float]:
    return 0.5, max(len(points), 1) + 0.5


def whole(tick: float) -> str:
    return f"{tick:g}" if tick == int(tick) else ""


def percent(tick: float) -> str:
    return f"{100 * tick:.0f}%"


def radius(points: Sequence[Point]) -> float:
    return 4 if len(points) < MANY else 2


def middle(point: Point, metric: Metric) -> float:
    return effects.shown(point.estimate or 0.0, metric)


def rule(frame: Frame, value: float, name: str, kind: str, at: float, anchor: str) -> list[Markup]:
    """A level across the plot; its name stands on it at `at`."""
    y = frame.y(value)
    path = h('<path class="{}" d="M{} {}H{}"/>', kind, frame.left, y, WIDTH - frame.right)
    return [path, label(at, y - 4, name, anchor=anchor)]


def whisker(frame: Frame, place: int, point: Point, metric: Metric) -> Markup:
    if point.low is None or point.high is None:
        return Markup("")
    low, high = effects.ends(point.low, point.high, metric)
    at = frame.x(place)
    return h('<path class="whisker" d="M{} {}V{}"/>', at, frame.y(low), frame.y(high))


def told(point: Point) -> str:
    runs = f"{point.runs} run{'s' * (point.runs != 1)}"
    return f"{chance_shown(point.belief)} after {runs}, {point.verdict}\n{why(point)}"


def measured(point: Point, metric: Metric) -> str:
    found = show_gain(point.estimate or 0.0, metric)
    if point.low is not None and point.high is not None:
        found += f" ({show_interval(point.low, point.high, metric)})"
    return f"{found}, {point.runs} run{'s' * (point.runs != 1)}, {point.verdict}\n{why(point)}"


def why(point: Point) -> str:
    return f"{point.cause[:LONGEST_CAUSE]}\n{point.at[:19].replace('T', ' ')} UTC"
