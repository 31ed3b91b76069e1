"""The journal of a book: its folder, its settings and the index of its text files.

What verbs do with days, reading and cards are functions of it, in their own modules.
"""

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from types import TracebackType

from warpbook.journal import settings
from warpbook.journal.entry import Problem
from warpbook.journal.index import Index
from warpbook.journal.settings import JournalSettings
from warpbook.journal.texts import textfile
from warpbook.journal.texts.textfile import Text


def local_now() -> datetime:
    return datetime.now().astimezone()


class Journal:
    """`now` tells the time with its zone; tests give their own. `problems` are of files that it
    changed itself."""

    def __init__(
        self,
        folder: Path,
        settings: JournalSettings,
        index: Index,
        now: Callable[[], datetime] = local_now,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.index = index
        self.now = now
        self.problems: list[Problem] = []

    @classmethod
    def open(cls, folder: Path, now: Callable[[], datetime] = local_now) -> "Journal":
        """The index is as it was left: `index.refresh()` takes in what changed since."""
        found = settings.read(folder)
        return cls(folder, found, Index.open(folder, found), now)

    def today(self) -> date:
        return self.now().date()

    def path(self, *parts: str) -> Path:
        return self.folder.joinpath(*parts)

    def edit(self, relative: str, change: Callable[[str], str]) -> Text:
        """The file changed, as `textfile.edit` does, and the index with it."""
        text = textfile.edit(self.path(relative), change)
        self.problems += self.index.take_in(relative)
        return text

    def close(self) -> None:
        self.index.close()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
