"""Cards that come back on the days ahead, a bar a day."""

from collections.abc import Sequence
from datetime import date, timedelta

from warpbook.web.markup import Markup, h, join

WIDTH, HEIGHT, FOOT, HEAD = 420, 96, 16, 14
GAP = 4


def bars(counts: Sequence[int], today: date) -> Markup:
    """The first is today's."""
    most = max([*counts, 1])
    step = WIDTH / len(counts)
    made = join(bar(at, count, most, step, today) for at, count in enumerate(counts))
    said = f"{sum(counts)} cards come back within {len(counts)} days, {counts[0]} of them today"
    return h(
        '<svg class="forecast" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        WIDTH,
        HEIGHT,
        said,
        made,
    )


def bar(at: int, count: int, most: int, step: float, today: date) -> Markup:
    room = HEIGHT - FOOT - HEAD
    high = max(round(room * count / most, 1), 2 if count else 1)
    top, middle = HEIGHT - FOOT - high, (at + 0.5) * step
    day = today + timedelta(days=at)
    label = "today" if at == 0 else f"{day:%a}"[:2]
    shown = (
        h('<text x="{}" y="{}" class="strong">{}</text>', f"{middle:.1f}", f"{top - 3:.1f}", count)
        if count
        else ""
    )
    return h(
        '<g><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" rx="2" class="{}"/>'
        '{}<text x="{}" y="{}">{}</text></g>',
        f"{day}: {count}",
        f"{at * step + GAP / 2:.1f}",
        f"{top:.1f}",
        f"{step - GAP:.1f}",
        f"{high:.1f}",
        ("s2" if at == 0 else "s1") if count else "nothing",
        shown,
        f"{middle:.1f}",
        HEIGHT - 3,
        label,
    )
