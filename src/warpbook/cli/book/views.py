"""Numbers and texts of the book as people read them, in tables and in sentences."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from warpbook.cli.screen import plain_table
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.text import printable
from warpbook.core.units import UNKNOWN

LONG = 200  # rows
VERDICT_STYLES = {"supported": "green", "refuted": "red", "open": "yellow"}


def metric_of(data: Mapping[str, Any]) -> Metric:
    return decode(Metric, data)


def money(amount: float | None, currency: str) -> str:
    return UNKNOWN if amount is None else f"{amount:.2f} {currency}"


def when(at: str | None) -> str:
    """UTC, to the minute."""
    return UNKNOWN if at is None else at[:16].replace("T", " ")


def epoch(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()
) -> Table | Text:
    """`right`: columns that are set flush right. Texts are made safe to show. A long one is lines
    that are not broken: rich takes half a millisecond over each row of a table."""
    shown = [[printable(cell) for cell in row] for row in rows]
    if len(shown) > LONG:
        return lines([list(columns), *shown], [column in right for column in columns])
    made = plain_table()
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", no_wrap=False)
    for row in shown:
        made.add_row(*row)
    return made


def lines(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> Text:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    ways = list(zip(widths, right, strict=True))
    padded = (
        "  ".join(
            f"{' ' * (width - cell_len(cell))}{cell}"
            if flush
            else f"{cell}{' ' * (width - cell_len(cell))}"
            for cell, (width, flush) in zip(row, ways, strict=True)
        ).rstrip()
        for row in rows
    )
    return Text("\n".join(padded), no_wrap=True, overflow="ignore")


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
