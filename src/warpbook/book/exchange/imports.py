"""Taking in what another book exported.

Rows are known by their uid: what is here already stays as it is, and the rest is added under new
ids, all of it in one transaction. Each line of the other log becomes an event `imported` with that
line inside, so the chain here holds, and its hash says whether it is known. Evidence and verdicts
are not believed but worked out anew, from receipts that are held against what is said of them.

Nothing that came in runs until somebody releases it. Run folders are put in place after the rows
are in the book; taking the file in again mends it, should that have been interrupted.
"""

import json
import math
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import IntegrityError

from warpbook.book.exchange import arrivals, bundle, settling
from warpbook.book.exchange.unpack import unpacked
from warpbook.book.folder import RUNS
from warpbook.book.new_file import bring_to_disk
from warpbook.book.run_folder import RECEIPT
from warpbook.book.tables import Run
from warpbook.core.errors import BadInput, Missing

if TYPE_CHECKING:
    from warpbook.book.book import Book


@dataclass(frozen=True)
class Taken:
    """Counts by table, `events` among them. `held` are experiments that wait to be released;
    `renamed` are campaigns whose names were in use; `left_out` are links to what is not here."""

    added: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def take_in(book: "Book", file: Path) -> Taken:
    file = Path(file).expanduser().absolute()
    with unpacked(file, book.folder) as (staged, _):
        try:
            with book.writing() as write:
                arrived = arrivals.Arrivals(write, staged)
                for table in bundle.TABLES:
                    for where, document in lines(file, staged / bundle.member_of(table)):
                        arrived.row(where, table, document)
                arrived.log(lines(file, staged / bundle.EVENTS))
                if any(arrived.added.values()):
                    settling.settle(write, arrived, file.name)
        except IntegrityError as error:
            raise BadInput(
                f"{file}: its rows do not fit together ({error.orig}); nothing was changed"
            ) from None
        place_runs(book.folder / RUNS, staged / bundle.RUNS, arrived)
    return Taken(arrived.added, arrived.known, arrived.renamed, arrived.held, arrived.left_out)


def lines(file: Path, path: Path) -> Iterator[tuple[str, Any]]:
    """Each line as a document, with where it stands."""
    with open(path, encoding="utf-8", errors="strict", newline="\n") as opened:
        number = 0
        try:
            for number, line in enumerate(opened, 1):
                yield f"{file}: {path.name}, line {number}", read(line)
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"{file}: {path.name}, after line {number - 1}: no JSON: {error}"
            ) from None


def read(line: str) -> Any:
    """JSON as the book keeps it: numbers that are finite, and texts that can be written."""
    found = json.loads(line, parse_constant=refuse, parse_float=finite)
    if "\\u" in line:
        json.dumps(found, ensure_ascii=False).encode()
    return found


def finite(word: str) -> float:
    return float(word) if math.isfinite(float(word)) else refuse(word)


def refuse(word: str) -> float:
    raise ValueError(f"{word} is no number here")


def place_runs(home: Path, staged: Path, arrived: "arrivals.Arrivals") -> None:
    """Move the folders of runs to their names here. One that is there already stays, unless it is
    another's, left from before this book was restored from a backup."""
    try:
        home.mkdir(exist_ok=True)
        for name, run in arrived.folders.items():
            source, target = staged / name, home / run.name
            if not source.is_dir() or not is_wanted(source, target, run, arrived):
                continue
            if target.exists():
                target.rename(target.with_name(f"{target.name}.before-{time.time_ns()}"))
            shutil.move(source, target)
        bring_to_disk(home)
    except OSError as error:
        raise Missing(
            f"{home}: the rows are in, but not all run folders: {error.strerror or error}; import "
            "the file again to mend that"
        ) from None


def is_wanted(source: Path, target: Path, run: Run, arrived: "arrivals.Arrivals") -> bool:
    if run.uid in arrived.new_runs or not target.exists():
        return True
    return (source / RECEIPT).exists() and not (target / RECEIPT).exists()
