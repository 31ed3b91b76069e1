"""The texts of a rung: of a shipped one its files, of any other what the book itself has kept.

No path of the book's is ever opened.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from warpbook.book.book import Book
from warpbook.book.browse.marks import mapping, word
from warpbook.book.browse.rungs import Step
from warpbook.book.sources import MARK
from warpbook.book.tables import Experiment, Run, Source
from warpbook.kernels.rung import read_source

SIDES = ("baseline", "change")


@dataclass(frozen=True)
class Text:
    """`suffix` says what language it is in."""

    name: str
    suffix: str
    text: str


def texts(book: Book, step: Step) -> list[Text]:
    """Nothing where the book has kept none."""
    if step.rung is not None:
        return [file_text(file) for file in step.rung.files]
    return kept(book, step)


def file_text(file: Path) -> Text:
    return Text(file.name, file.suffix, read_source(file).decode(errors="replace"))


def kept(book: Book, step: Step) -> list[Text]:
    """Of a run's arm by its experiment's plan; of a judged file by its hash, if the same text was
    ever tried."""
    mark = step.mark
    if mark is None:
        return []
    with book.reading() as session:
        hashes = {".py": mark.sha256}
        if mark.kind == "run":
            plan = session.scalar(
                select(Experiment.plan).join(Run).where(Run.id == int(mark.source[2:]))
            )
            hashes = arm_hashes(plan or {}, mark.sha256)
        found = {suffix: session.get(Source, sha256) for suffix, sha256 in hashes.items()}
        return [
            Text(f"{mark.rung}{suffix}", suffix, source.text)
            for suffix, source in found.items()
            if source is not None
        ]


def arm_hashes(plan: dict[str, Any], sha256: str) -> dict[str, str]:
    """Of the texts of the arm that has this hash, by suffix."""
    arms = [mapping(plan.get(side)) for side in SIDES]
    arm = next((arm for arm in arms if arm.get("sha256") == sha256), {})
    marks = {".py": word(arm.get("text")), ".cu": word(arm.get("cuda"))}
    return {suffix: mark.removeprefix(MARK) for suffix, mark in marks.items() if mark}
