"""Spans of time as people type and read them: `90s`, `30m`, `2h`, `1.5d`."""

import math
import re

from warpbook.core.errors import BadInput

SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
TYPED = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")


def parse_duration(text: str) -> float:
    """In seconds, which is also what a bare number means."""
    found = TYPED.fullmatch(text.strip())
    if found is None or not math.isfinite(float(found[1])):
        raise BadInput(f"{text!r} is no span of time: write 90s, 30m, 2h or 1.5d")
    return float(found[1]) * SECONDS[found[2]]


def show_duration(seconds: float | None) -> str:
    """Two units at most: `45 s`, `12 min`, `2 h 5 min`, `3 d 4 h`."""
    if seconds is None:
        return "-"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 89.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"
