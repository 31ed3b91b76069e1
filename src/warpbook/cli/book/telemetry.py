"""`warpbook telemetry`: what the devices did while runs were made."""

import time
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpbook.cli.book import options
from warpbook.cli.book.opening import opened
from warpbook.cli.book.views import epoch, table
from warpbook.cli.guard import guarded
from warpbook.cli.screen import console, show_json
from warpbook.core.duration import parse_duration
from warpbook.core.errors import BadInput
from warpbook.core.units import UNKNOWN, digits, percentage, size

if TYPE_CHECKING:
    from warpbook.book.tables import Sample

COLUMNS = (
    "device", "last sample (UTC)", "utilisation", "memory", "clock", "power", "temperature",
    "processes",
)  # fmt: skip


@guarded
def telemetry(
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="One device alone, as the table names it.")
    ] = None,
    span: Annotated[
        str, typer.Option("--time", metavar="SPAN", help="How far back: 10m, 2h, 7d.")
    ] = "10m",
    book: options.BookFolder = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> int:
    """Show utilisation, memory, clocks, power and temperature, averaged over a span."""
    from warpbook.book.telemetry import devices, series

    end = time.time()
    start = end - parse_duration(span)
    with opened(book) as opened_book:
        known = devices(opened_book)
        if device is not None and device not in known:
            raise BadInput(
                f"no samples of a device {device!r}; there are: {', '.join(known) or 'none'}"
            )
        wanted = known if device is None else [device]
        found = {name: series(opened_book, name, start, end) for name in wanted}
    if json:
        show_json({name: [document(one) for one in samples] for name, samples in found.items()})
        return 0
    rows = [row(name, samples) for name, samples in found.items() if samples]
    if not rows:
        console().print(
            f"nothing was sampled in the last {span}; `warpbook work` samples as it works"
        )
        return 0
    console().print(table(COLUMNS, rows, right=COLUMNS[2:]))
    return 0


def row(name: str, samples: "Sequence[Sample]") -> tuple[str, ...]:
    last = samples[-1]
    memory = mean(samples, "memory_bytes")
    total = f" of {size(last.memory_total_bytes)}" if last.memory_total_bytes else ""
    return (
        name,
        epoch(last.at),
        percentage(mean(samples, "utilisation")),
        UNKNOWN if memory is None else f"{size(memory)}{total}",
        with_unit(mean(samples, "clock_mhz"), "MHz"),
        with_unit(mean(samples, "power_w"), "W"),
        with_unit(mean(samples, "temperature_c"), "C"),
        str(len(last.processes)),
    )


def mean(samples: "Sequence[Sample]", name: str) -> float | None:
    known = [(getattr(one, name), one.span_s) for one in samples]
    known = [(value, span) for value, span in known if value is not None]
    return fmean(*zip(*known, strict=True)) if known else None


def with_unit(value: float | None, unit: str) -> str:
    return UNKNOWN if value is None else f"{digits(value)} {unit}"


def document(one: "Sample") -> dict[str, Any]:
    names = (
        "at", "span_s", "utilisation", "memory_bytes", "memory_total_bytes", "clock_mhz",
        "memory_clock_mhz", "power_w", "temperature_c", "processes",
    )  # fmt: skip
    return {name: getattr(one, name) for name in names}
