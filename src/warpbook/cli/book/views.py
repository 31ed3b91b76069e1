"""Numbers and texts of the book as people read them, in tables and in sentences."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from warpbook.cli.screen import plain_table, printable
from warpbook.core.codec import decode
from warpbook.core.effect import Metric, Scale, plain, show_gain
from warpbook.core.units import UNKNOWN, digits

MOST_TO_ONE = 1e6
VERDICT_STYLES = {"supported": "green", "refuted": "red", "open": "yellow"}


def metric_of(data: Mapping[str, Any]) -> Metric:
    return decode(Metric, data)


def effect(
    metric: Metric, gain: float | None, low: float | None = None, high: float | None = None
) -> str:
    """`1.30x (1.21x-1.39x)`, without the interval where there is none."""
    if gain is None:
        return UNKNOWN
    shown = show_gain(gain, metric)
    return shown if low is None or high is None else f"{shown} ({ends(metric, low, high)})"


def ends(metric: Metric, low: float, high: float) -> str:
    first, second = show_gain(low, metric), show_gain(high, metric)
    separator = "-" if first.endswith("x") else " to "
    return f"{first}{separator}{second}"


def size(gain: float, metric: Metric) -> str:
    """How large an effect is, whichever way: `3%`, `2x`, `0.5 points`."""
    if metric.scale is Scale.DIFFERENCE:
        return plain(abs(gain), metric)
    factor = math.exp(abs(gain))
    return (
        f"{digits(100 * (factor - 1)).rstrip('0').rstrip('.')}%"
        if factor < 2
        else f"{digits(factor)}x"
    )


def evidence(log_support: float, log_refute: float) -> str:
    """`34:1 for`: how much better the runs fit with the claim than without it."""
    side, log_e = max((("for", log_support), ("against", log_refute)), key=lambda pair: pair[1])
    if log_e <= math.log(1.05):
        return "none yet"
    odds = math.exp(min(log_e, 700))
    if odds > MOST_TO_ONE:
        return f"over {MOST_TO_ONE:,.0f}:1 {side}"
    return f"{odds:.{0 if odds >= 9.95 else 1}f}:1 {side}"


def money(amount: float | None, currency: str) -> str:
    return UNKNOWN if amount is None else f"{amount:.2f} {currency}"


def when(at: str | None) -> str:
    """UTC, to the minute."""
    return UNKNOWN if at is None else at[:16].replace("T", " ")


def epoch(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()
) -> Table:
    """`right`: columns that are set flush right. Texts are made safe to show."""
    made = plain_table()
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", no_wrap=False)
    for row in rows:
        made.add_row(*(printable(cell) for cell in row))
    return made


def facts(screen: Console, pairs: Iterable[tuple[str, str | None]]) -> None:
    """`name  value` lines, unbroken so that a path can be copied; what is empty is left out."""
    shown = [(name, printable(value)) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        screen.print(f"{name:<{width}}  ", style="dim", end="")
        screen.print(value, soft_wrap=True)


def short(text: str, most: int = 60) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= most else f"{line[: most - 3]}..."


def page_note(screen: Console, shown: int, limit: int, offset: int) -> None:
    if shown == limit:
        screen.print(f"more with --offset {offset + limit}", style="dim")
