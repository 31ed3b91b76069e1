"""What a book has measured of a problem: marks from its measurements, and from the arms of its runs
of kernels. The newest first, and never more than a page can show.

A run is found by its noise key, which names device, problem and workload: experiments themselves
are too many to be looked through. Its times are in its receipt.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import exists, func, or_, select
from sqlalchemy.orm import Session

from warpbook.book.book import Book
from warpbook.book.browse.marks import Mark, compared, judged, mapping
from warpbook.book.folder import RUNS
from warpbook.book.run_folder import RECEIPT
from warpbook.book.tables import Experiment, Measurement, Run

NEWEST = 100  # measurements besides the latest of each rung
MOST_GROUPS = 300
MOST_RUNS = 60
MOST_LOOKED_AT = 400  # runs, for those of one rung
MOST_PROBLEMS = 100
MOST_KEYS = 500
LARGEST_RECEIPT = 16 * 1024 * 1024
KERNEL = " | kernel | "
SIDES = ("baseline", "change")


@dataclass(frozen=True)
class Spot:
    """Where runs of kernels were made, and their noise key."""

    device: str
    problem: str
    workload: str
    key: str


def spots(session: Session) -> list[Spot]:
    """Of all runs and experiments of kernels."""
    keys = {*kernel_keys(session, Run.noise_key), *kernel_keys(session, Experiment.noise_key)}
    found = [spot_of(key) for key in sorted(keys)]
    return [spot for spot in found if spot]


def spot_of(key: str) -> Spot | None:
    device, kernel, rest = key.partition(KERNEL)
    problem, _, workload = rest.rpartition(" | ")
    return Spot(device, problem, workload, key) if kernel and problem else None


def spot(device: str, problem: str, workload: str) -> Spot:
    return Spot(device, problem, workload, f"{device}{KERNEL}{problem} | {workload}")


def kernel_keys(session: Session, column: Any) -> Iterator[str]:
    """A device at a time, and without the keys of commands, of which there may be very many."""
    for key in distinct(session, column, following=lambda key: after(key.partition(" | ")[0])):
        start = key.partition(" | ")[0] + KERNEL
        yield from distinct(session, column, start, after(start))


def after(prefix: str) -> str:
    """Past all keys with this beginning."""
    return prefix + "\U0010ffff"


def distinct(
    session: Session,
    column: Any,
    start: str = "",
    end: str = after(""),
    following: Callable[[str], str] = str,
) -> Iterator[str]:
    """A look-up each: the values of an index are few, its entries many."""
    value = start
    for _ in range(MOST_KEYS):
        query = select(func.min(column)).where(column > value, column < end)
        found = session.scalar(query)
        if found is None:
            return
        yield found
        value = following(found)


def problems(session: Session) -> list[str]:
    """Every problem that a measurement, an experiment or a run names, by name."""
    named = {*distinct(session, Measurement.problem)}
    named |= {spot.problem for spot in spots(session)}
    return sorted(named)[:MOST_PROBLEMS]


def measurements(session: Session, problem: str, rung: str | None = None) -> list[Mark]:
    """The latest of each rung, workload and device, and the newest besides; or all of one rung, as
    far back as the newest go."""
    mine = Measurement.problem == problem
    newest = select(Measurement.id).where(mine).order_by(Measurement.id.desc()).limit(NEWEST)
    if rung is not None:
        each = func.json_each(Measurement.rungs).table_valued("value", name="each_rung")
        newest = newest.where(exists(select(1).select_from(each).where(each.c.value == rung)))
    ids = {*session.scalars(newest)}
    if rung is None:
        groups = Measurement.kind, Measurement.rungs, Measurement.workload, Measurement.device
        latest = func.max(Measurement.id)
        query = select(latest).where(mine).group_by(*groups)
        ids |= {*session.scalars(query.order_by(latest.desc()).limit(MOST_GROUPS))}
    rows = session.execute(
        select(Measurement.id, Measurement.kind, Measurement.created_at, Measurement.document)
        .where(Measurement.id.in_(ids))
        .order_by(Measurement.id.desc())
    )
    return [
        mark for row in rows for mark in measured(row.id, row.kind, row.created_at, row.document)
    ]


def measured(number: int, kind: str, at: str, document: Any) -> list[Mark]:
    read = judged if kind == "judgement" else compared
    return [*read(mapping(document), at, f"M-{number}")]


def arms(
    book: Book, session: Session, spots_: Sequence[Spot], rung: str = "", limit: int = MOST_RUNS
) -> list[Mark]:
    """The times of the newest valid runs there; of one rung, if it is given."""
    query = (
        select(Run.id, Run.experiment_id, Run.ended_at, Run.receipt_sha256, Run.noise_key)
        .where(Run.noise_key.in_([spot.key for spot in spots_]), Run.state == "valid")
        .order_by(Run.id.desc())
        .limit(MOST_LOOKED_AT if rung else limit)
    )
    rows = session.execute(query).all()
    if rung:
        having = experiments_with(session, rung, {row.experiment_id for row in rows})
        rows = [row for row in rows if row.experiment_id in having][:limit]
    found: list[Mark] = []
    for number, _, at, sha256, key in rows:
        spot = spot_of(key or "")
        path = book.folder / RUNS / f"R-{number}" / RECEIPT
        marks = run_marks(path, sha256 or "", f"R-{number}", at or "")
        found += [replace(mark, device=spot.device) for mark in marks if spot]
    return [mark for mark in found if not rung or mark.rung == rung]


def experiments_with(session: Session, rung: str, ids: Collection[int]) -> set[int]:
    """Those of these experiments that have this rung as an arm."""
    sides = [func.json_extract(Experiment.plan, f"$.{side}.rung") for side in SIDES]
    query = select(Experiment.id).where(Experiment.id.in_(ids), or_(*(s == rung for s in sides)))
    return {*session.scalars(query)}


@lru_cache(maxsize=1024)
def run_marks(path: Path, sha256: str, run: str, at: str) -> tuple[Mark, ...]:
    """Both arms of a run. A receipt does not change once it is recorded, so what was read of one is
    kept; one that is gone or damaged has no times."""
    try:
        if path.stat().st_size > LARGEST_RECEIPT:
            return ()
        receipt = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ()
    receipt = mapping(receipt)
    found = compared(mapping(receipt.get("comparison")), at, run, "run")
    own = owners(mapping(receipt.get("plan")))
    return tuple(replace(mark, own=mark.sha256 in own) for mark in found)


def owners(plan: Any) -> set[str]:
    """The hashes of arms whose text the plan carries."""
    found = [mapping(plan.get(side)) for side in SIDES]
    return {str(arm.get("sha256")) for arm in found if arm.get("text") or arm.get("cuda")}
