"""What was said of a day while an editor had its file: kept in `journal/.waiting/<date>.md`, and
added to the day when the editor has closed, or by the next command that can.

Each piece has a line of its own before it that says how many lines it has and what it counts for;
so any text may be in one. Knows nothing of what the texts say.
"""

import json
import re
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput, WarpbookError
from warpbook.journal.days import day_text, days
from warpbook.journal.texts import textfile
from warpbook.journal.texts.lock import Held, locked

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

FOLDER = ".waiting"
HEAD = re.compile(r"<!-- waits: (\{.*\}) -->")


@dataclass(frozen=True)
class Piece:
    """`settles`: the text is a plan, which is done or dropped."""

    text: str
    track: str | None = None
    minutes: float | None = None
    settles: str | None = None


def file_of(journal: "Journal", on: date) -> Path:
    return journal.path(days.FOLDER, FOLDER, f"{on.isoformat()}.md")


def put(journal: "Journal", on: date, piece: Piece) -> Path:
    """At the end of what waits for that date; whole, or not at all."""
    path = file_of(journal, on)
    textfile.edit(path, lambda text: text + written(piece))
    return path


def written(piece: Piece) -> str:
    more = {name: value for name, value in asdict(piece).items() if name != "text"}
    lines = piece.text.split("\n")
    return f"<!-- waits: {json.dumps({'lines': len(lines), **more})} -->\n" + piece.text + "\n"


def pieces(path: Path, text: str) -> list[Piece]:
    """BadInput, with its line, for what is none: somebody edited the file, and it stays."""
    lines = text.split("\n")
    found, at = [], 0
    while at < len(lines) - 1:
        head = HEAD.fullmatch(lines[at])
        try:
            told: Any = json.loads(head[1]) if head else None
            count = int(told.pop("lines"))
            found.append(Piece("\n".join(lines[at + 1 : at + 1 + count]), **told))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadInput(
                f"{path}:{at + 1}: not as Warpbook left it; put what is in it into the day, and "
                "remove it"
            ) from None
        at += 1 + count
    return found


def flush(journal: "Journal") -> list[str]:
    """Add what waits to the days that can be written to; a line on each file that has to stay for
    another reason than an open editor."""
    folder = journal.path(days.FOLDER, FOLDER)
    if not folder.is_dir():
        return []
    wrong = []
    for path in sorted(folder.glob("[0-9]*.md")):
        if textfile.is_kept(path.name):
            continue
        try:
            take(journal, path)
        except Held:
            continue
        except WarpbookError as error:
            wrong.append(f"{path.relative_to(journal.folder)} waits: {error}")
    return wrong


def take(journal: "Journal", path: Path) -> None:
    """Under the lock of what waits, so that nothing is added to it and lost. Before the day is
    written the file takes the sum of the day's new text into its name: if this is killed right
    after, the day has that sum, and nothing is added again."""
    day, _, done = path.stem.partition(".")
    on = days.date_of(day)
    with locked(file_of(journal, on)):
        if not path.exists():
            return
        waiting = pieces(path, textfile.read(path).content)
        relative, begin = days.relative(on), days.beginning(journal, on)

        def change(text: str) -> str:
            nonlocal path
            if sum_of(text) == done:
                return text
            text = with_pieces(journal, relative, text, begin, waiting)
            path = path.rename(path.with_name(f"{day}.{sum_of(text)}.md"))
            return text

        journal.edit(relative, change)
        path.unlink()


def sum_of(text: str) -> str:
    return textfile.sha256(text.encode())[:16]


def with_pieces(
    journal: "Journal", relative: str, text: str, begin: str, waiting: list[Piece]
) -> str:
    plans_too = begin if not text else ""
    for piece in waiting:
        text = day_text.with_counts(relative, text, journal.settings, piece.track, piece.minutes)
        text, plans_too = text + plans_too, ""
        if piece.settles:
            text = days.settled(relative, text, journal.settings, piece.text, piece.settles)
        else:
            text = day_text.with_paragraph(text, piece.text)
    return text
