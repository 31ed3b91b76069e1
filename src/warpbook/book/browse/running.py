"""The runs that are under way: what they are for, how far they are, and what they print.

Knows nothing of the processes; a run's folder says what it does.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from warpbook.book import run_folder
from warpbook.book.browse.claims import Claim, claims
from warpbook.book.browse.lists import cut
from warpbook.book.browse.run_files import read_piece
from warpbook.book.folder import RUNS
from warpbook.book.run_folder import Step
from warpbook.book.tables import Campaign, Experiment, Run
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

TAIL_BYTES = 16_384
TAIL_LINES = 40
LONGEST_LINE = 400
LONGEST_TITLE = 300
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class UnderWay:
    """`valid` runs of `wanted` are made. `place` is a GPU's UUID, cpu or none."""

    run: str
    experiment: str
    title: str
    campaign: str
    author: str
    place: str
    purpose: str
    worker: str
    started_at: str
    stop_asked: bool
    valid: int
    wanted: int
    cost_s: float
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Progress:
    """`output` is the end of the log; `total_bytes` of it were written so far."""

    steps: tuple[Step, ...]
    output: str
    total_bytes: int


def under_way(book: "Book", limit: int = 8) -> tuple[list[UnderWay], int]:
    """The oldest first, and how many there are."""
    with book.reading() as session:
        count = session.scalar(select(func.count()).where(Run.state == "running")) or 0
        rows = session.execute(
            select(
                *(Run, Experiment.author, Experiment.runs_valid, Experiment.runs_wanted),
                *(Experiment.cost_s, Campaign.name.label("campaign")),
                cut(Experiment.title, LONGEST_TITLE).label("title"),
            )
            .join(Experiment, Experiment.id == Run.experiment_id)
            .join(Campaign, Campaign.id == Experiment.campaign_id)
            .where(Run.state == "running")
            .order_by(Run.id)
            .limit(limit)
        ).all()
        known = claims(session, [row.Run.experiment_id for row in rows])
    found = [
        UnderWay(
            *(row.Run.name, f"E-{row.Run.experiment_id}", row.title, row.campaign, row.author),
            *(row.Run.place, row.Run.purpose, f"W-{row.Run.worker_id}" * bool(row.Run.worker_id)),
            *(row.Run.started_at, row.Run.stop_asked, row.runs_valid, row.runs_wanted),
            *(row.cost_s, known.get(row.Run.experiment_id, ())),
        )
        for row in rows
    ]
    return found, count


def progress(book: "Book", run: str) -> Progress:
    """Of a run whose folder is not there, nothing."""
    try:
        piece = read_piece(book, run, run_folder.LOG, 0, TAIL_BYTES, tail=True)
        output, total = tail(piece.content, piece.start > 0), piece.total_bytes
    except BadInput:
        output, total = "", 0
    return Progress(steps_of(book.folder / RUNS / run), output, total)


def steps_of(folder: Path) -> tuple[Step, ...]:
    try:
        found = (folder / run_folder.STEPS).stat()
    except OSError:
        return ()
    return steps_at(folder, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=32)
def steps_at(folder: Path, changed_ns: int, size: int) -> tuple[Step, ...]:
    """Asked for every second by every browser; read when the file has changed."""
    return tuple(run_folder.read_steps(folder))


def tail(content: bytes, cut: bool) -> str:
    """The last lines as a terminal would leave them: without colours, and of a line that was
    written over, its last state. `cut`: the first line has lost its beginning."""
    lines = content.decode(errors="replace").split("\n")
    if cut and len(lines) > 1:
        lines = lines[1:]
    if lines and not lines[-1]:
        lines.pop()
    return "\n".join(shown(line) for line in lines[-TAIL_LINES:])


def shown(line: str) -> str:
    last = COLOURS.sub("", line).rstrip("\r").rpartition("\r")[2]
    return last if len(last) <= LONGEST_LINE else f"{last[:LONGEST_LINE]} ..."
