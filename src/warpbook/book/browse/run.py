"""One run in full: its effect, samples and floor, what its device did meanwhile, its log, and what
it takes to repeat it.

What came from a receipt or a file may be missing, damaged or very long: each is cut, or says why it
is not there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from warpbook.book import names, run_folder, telemetry
from warpbook.book.browse.effects import counted
from warpbook.book.browse.lists import cut
from warpbook.book.browse.run_files import RunFile, read_piece, run_files
from warpbook.book.tables import Experiment, Run
from warpbook.core.codec import decode
from warpbook.core.effect import Metric
from warpbook.core.errors import BadInput
from warpbook.core.roofs import Floor
from warpbook.core.run import MetricSamples, RunReceipt
from warpbook.core.steps import Step

if TYPE_CHECKING:
    from warpbook.book.book import Book

LOG_BYTES = 32 << 10
TEXT_BYTES = 200 << 10
READINGS = 400
ROOM_S = 2.0


@dataclass(frozen=True)
class RunLine:
    """`counts`: it is among the runs that the experiment's effect is made of."""

    name: str
    state: str
    purpose: str
    counts: bool
    gain: float | None
    error: float | None
    seconds: float | None
    money: float | None
    started_at: str
    ended_at: str | None
    reason: str
    executor: str
    place: str
    environment_key: str | None


@dataclass(frozen=True)
class Reading:
    """What a device did at one moment."""

    at: float
    utilisation: float | None
    power_w: float | None
    clock_mhz: float | None
    temperature_c: float | None
    memory_bytes: float | None


@dataclass(frozen=True)
class Piece:
    """The end of a text, or its beginning, and how long it is in all."""

    text: str
    total_bytes: int
    whole: bool


@dataclass(frozen=True)
class Paper:
    """What a run's receipt says; `note` is why there is none."""

    metrics: tuple[MetricSamples, ...] = ()
    order: str = ""
    floor: Floor | None = None
    notes: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    capture: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class RunView:
    line: RunLine
    experiment: str
    title: str
    metric: Metric
    paper: Paper
    readings: tuple[Reading, ...]
    log: Piece | None
    receipt: Piece | None
    patch: Piece | None
    files: tuple[RunFile, ...]
    steps: tuple[Step, ...]
    currency: str


def view(book: "Book", name: str) -> RunView:
    with book.reading() as session:
        row = names.get(session, Run, name)
        of = session.execute(
            select(Experiment.id, cut(Experiment.title).label("title"), Experiment.plan).where(
                Experiment.id == row.experiment_id
            )
        ).one()
        counts = row.id in {run.id for run in counted(session, [row.experiment_id]).get(of.id, ())}
    line = line_of(row, counts)
    return RunView(
        line,
        f"E-{of.id}",
        of.title,
        decode(Metric, of.plan["metrics"][0]),
        paper(book, row.name),
        readings(book, line),
        piece(book, row.name, run_folder.LOG, LOG_BYTES, tail=True),
        piece(book, row.name, run_folder.RECEIPT, TEXT_BYTES),
        piece(book, row.name, run_folder.DIFF, TEXT_BYTES),
        files(book, row.name),
        tuple(run_folder.read_steps(book.runs.folder(row.name))),
        book.settings.currency,
    )


def line_of(row: Run, counts: bool) -> RunLine:
    return RunLine(
        *(row.name, row.state, row.purpose, counts, row.gain, row.error, row.seconds, row.money),
        *(row.started_at, row.ended_at, row.reason[:TEXT_BYTES], row.executor, row.place),
        row.environment_key,
    )


def paper(book: "Book", run: str) -> Paper:
    try:
        receipt = book.runs.receipt(run)
    except BadInput as error:
        return Paper(note=str(error))
    return Paper(
        receipt.metrics,
        receipt.order,
        floor_of(receipt),
        notes_of(receipt),
        {str(name): str(value) for name, value in receipt.environment.items()},
        receipt.capture,
    )


def floor_of(receipt: RunReceipt) -> Floor | None:
    found = (receipt.comparison or {}).get("floor")
    try:
        return decode(Floor, found) if found else None
    except (ValueError, TypeError, KeyError):
        return None


def notes_of(receipt: RunReceipt) -> tuple[str, ...]:
    found = (receipt.comparison or {}).get("notes")
    return tuple(str(note) for note in found[:20]) if isinstance(found, list | tuple) else ()


def readings(book: "Book", line: RunLine) -> tuple[Reading, ...]:
    start, end = moment(line.started_at), moment(line.ended_at)
    if start is None:
        return ()
    found = telemetry.series(book, line.place, start - ROOM_S, (end or 1e12) + ROOM_S)
    return tuple(
        Reading(
            *(one.at, one.utilisation, one.power_w, one.clock_mhz, one.temperature_c),
            one.memory_bytes,
        )
        for one in thinned(found, READINGS)
    )


def thinned(found: Sequence[Any], most: int) -> Sequence[Any]:
    step = -(-len(found) // most) or 1
    return found[::step]


def moment(iso: str | None) -> float | None:
    try:
        return datetime.fromisoformat(iso).timestamp() if iso else None
    except ValueError:
        return None


def piece(book: "Book", run: str, file: str, most: int, tail: bool = False) -> Piece | None:
    try:
        found = read_piece(book, run, file, 0, most, tail)
    except BadInput:
        return None
    text = found.content.decode(errors="replace")
    return Piece(text, found.total_bytes, len(found.content) == found.total_bytes)


def files(book: "Book", run: str) -> tuple[RunFile, ...]:
    try:
        return tuple(run_files(book, run))
    except BadInput:
        return ()
