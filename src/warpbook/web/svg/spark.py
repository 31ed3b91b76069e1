"""A sparkline: how a number went, in the height of a line of text."""

import math
from collections.abc import Sequence

from warpbook.web.markup import Markup, h

ROOM = 2


def spark(
    values: Sequence[float | None],
    label: str,
    low: float | None = None,
    high: float | None = None,
    width: int = 120,
    height: int = 26,
    kind: str = "l1",
) -> Markup:
    """Gaps where a value is None. `low` and `high` fix the scale, else the values do."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    bottom = min(known, default=0.0) if low is None else low
    top = max(known, default=1.0) if high is None else high
    span = (top - bottom) or 1.0
    step = (width - 2 * ROOM) / max(len(values) - 1, 1)
    path, pen = [], "M"
    for place, value in enumerate(values):
        if value is None or not math.isfinite(value):
            pen = "M"
            continue
        part = min(max((value - bottom) / span, 0.0), 1.0)
        path.append(
            f"{pen}{ROOM + place * step:.1f} {height - ROOM - part * (height - 2 * ROOM):.1f}"
        )
        pen = "L"
    if path and len(known) == 1:
        path.append("h1")
    return h(
        '<svg class="spark" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" '
        'aria-label="{2}"><path class="{3}" stroke-width="1.5" d="{4}"/></svg>',
        width, height, label, kind, "".join(path),
    )  # fmt: skip
