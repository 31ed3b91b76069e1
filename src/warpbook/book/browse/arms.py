"""The source of an experiment's two arms, as it was measured.

A file's text is in the book. A rung that ships with Warpbook is read from its file, and shown only
if it is still what was measured; a file that a command names is shown as a run kept it. Nothing
here is executed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from warpbook.book.browse.run_files import read_piece
from warpbook.book.sources import text_of
from warpbook.core.errors import BadInput, WarpbookError
from warpbook.core.run import Arm, NamedFile, Plan
from warpbook.kernels.library import find_rung, read_outline

if TYPE_CHECKING:
    from warpbook.book.book import Book

LONGEST = 400_000


@dataclass(frozen=True)
class Text:
    """`suffix` says which language it is. Where there is no text, `note` says why."""

    name: str
    suffix: str
    text: str | None
    note: str = ""


@dataclass(frozen=True)
class Shown:
    """An arm with its texts."""

    label: str
    sha256: str
    command: str
    texts: tuple[Text, ...]


class Kept:
    """The files that a run kept, by the hash of what was in them."""

    def __init__(self, book: "Book", run: str | None, capture: Mapping[str, Any]) -> None:
        self.book = book
        self.run = run
        listed = capture.get("sources")
        entries = (
            [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        )
        self.names = {str(one.get("sha256")): one.get("kept") for one in entries}

    def text(self, file: NamedFile) -> Text:
        suffix, kept = Path(file.path).suffix, self.names.get(file.sha256)
        if self.run is None or not isinstance(kept, str):
            why = f"no run has kept its text; its hash is {file.sha256[:12]}"
            return Text(file.path, suffix, None, why)
        try:
            piece = read_piece(self.book, self.run, kept, 0, LONGEST)
        except BadInput as error:
            return Text(file.path, suffix, None, str(error))
        return Text(file.path, suffix, piece.content.decode(errors="replace"))


def shown(session: Session, plan: Plan, arm: Arm, kept: Kept) -> Shown:
    """`plan` and `arm` as the book stores them, with marks in place of texts."""
    if arm.command:
        texts = tuple(kept.text(file) for file in arm.files)
    elif arm.text is None and arm.cuda is None:
        texts = shipped(plan, arm)
    else:
        marks = ((arm.text, ".py"), (arm.cuda, ".cu"))
        texts = tuple(stored(session, arm, mark, end) for mark, end in marks if mark is not None)
    return Shown(arm.label, arm.sha256, arm.command, texts)


def stored(session: Session, arm: Arm, mark: str, suffix: str) -> Text:
    name = Path(arm.rung or arm.label).with_suffix("").name + suffix
    try:
        text = text_of(session, mark)
    except BadInput as error:
        return Text(name, suffix, None, str(error))
    return Text(name, suffix, None if text is None else text[:LONGEST])


def shipped(plan: Plan, arm: Arm) -> tuple[Text, ...]:
    name = arm.rung or arm.label
    try:
        outline = read_outline(plan.problem)
        rung = None if outline is None else find_rung(outline, name)
    except (WarpbookError, OSError, ValueError) as error:
        return (Text(name, "", None, f"its file cannot be read here: {error}"),)
    if rung is None or rung.sha256 != arm.sha256:
        found = "unknown" if rung is None else rung.sha256[:12]
        why = (
            f"its file has changed since it was measured: its hash was {arm.sha256[:12]} and is "
            f"{found}"
        )
        return (Text(name, "", None, why),)
    return tuple(
        Text(file.name, file.suffix, file.read_text(encoding="utf-8", errors="replace")[:LONGEST])
        for file in rung.files
    )
