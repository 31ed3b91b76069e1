"""Devices as their telemetry shows them: the latest sample, and how the last minutes went.

Knows nothing of how a device is read, nor of runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import Integer, func, select
from sqlalchemy.orm import Session

from warpbook.book.tables import Sample
from warpbook.core import machine
from warpbook.core.errors import Missing

if TYPE_CHECKING:
    from warpbook.book.book import Book

RECENT_S = 300.0
BUCKET_S = 5.0
BUCKETS = round(RECENT_S / BUCKET_S)
GONE_S = 24 * 3600.0  # a device silent for so long beside others is no longer here
MOST = 64
MEASURED = (
    "utilisation", "memory_bytes", "memory_total_bytes", "clock_mhz", "memory_clock_mhz",
    "power_w", "temperature_c",
)  # fmt: skip
History = tuple[float | None, ...]


@dataclass(frozen=True)
class Device:
    """`name` is a GPU's UUID or cpu. `latest` is of the sample that ended `at`, since the epoch;
    `recent` the means of the minutes up to it. Only what is known is there."""

    name: str
    at: float
    latest: dict[str, float]
    recent: dict[str, History]
    processes: tuple[int, ...]


def devices(book: "Book") -> list[Device]:
    """By name; without those that were last seen long before the others."""
    with book.reading() as session:
        newest = [latest(session, name) for name in names(session)]
        last = max((sample.at for sample in newest), default=0.0)
        return [described(session, one) for one in newest if one.at > last - GONE_S]


def names(session: Session) -> Iterator[str]:
    """A look-up each: all samples of a device are one stretch of the index."""
    name = ""
    for _ in range(MOST):
        found = session.scalar(select(func.min(Sample.device)).where(Sample.device > name))
        if found is None:
            return
        name = found
        yield name


def latest(session: Session, name: str) -> Sample:
    of_device = select(Sample).where(Sample.device == name)
    return session.scalars(of_device.order_by(Sample.at.desc()).limit(1)).one()


def described(session: Session, sample: Sample) -> Device:
    known = {name: getattr(sample, name) for name in MEASURED}
    known = {name: float(value) for name, value in known.items() if value is not None}
    pids = tuple(process["pid"] for process in sample.processes)
    return Device(sample.device, sample.at, known, recent(session, sample, [*known]), pids)


def recent(session: Session, sample: Sample, measured: list[str]) -> dict[str, History]:
    """Means over spans of equal length; None where there are no samples."""
    start = sample.at - RECENT_S
    place = func.cast((Sample.at - start) / BUCKET_S, Integer)
    rows = session.execute(
        select(place, *(func.avg(getattr(Sample, name)) for name in measured))
        .where(Sample.device == sample.device, Sample.at > start, Sample.at <= sample.at)
        .group_by(place)
    )
    found: dict[int, tuple[float | None, ...]] = {}
    for at, *means in rows:
        found[min(at, BUCKETS - 1)] = tuple(means)
    none = (None,) * len(measured)
    columns = zip(*(found.get(place, none) for place in range(BUCKETS)), strict=True)
    return dict(zip(measured, columns, strict=True))


def devices_here(_: "Book") -> dict[str, str]:
    """This machine's own, by what telemetry calls them: the GPUs, or else the CPU. Their names."""
    return names_here()


@cache
def names_here() -> dict[str, str]:
    try:
        gpus = dict(machine.listed_gpus())
    except (Missing, ModuleNotFoundError):
        gpus = {}
    return gpus or {"cpu": machine.cpu_name()}
