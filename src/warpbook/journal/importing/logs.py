"""One log from its file into the book: read, understood, and taken in if that is asked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.importing import contents, fresh, ledger
from warpbook.journal.importing.clues import Asked
from warpbook.journal.importing.contents import Contents
from warpbook.journal.importing.fresh import Done
from warpbook.journal.importing.ledger import Ledger
from warpbook.journal.importing.understood import Understood, Wanted, understand
from warpbook.journal.journal import Journal
from warpbook.journal.sharing import marked
from warpbook.journal.texts import textfile
from warpbook.journal.texts.encoding import decoded

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Log:
    """A log as it was read: one of people's, or one that `export log` wrote."""

    path: Path
    data: bytes
    found: Understood | Contents

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True)
class New:
    """How much of a log no earlier import took in."""

    days: int
    reading: int
    cards: int


def read(journal: Journal, path: Path, wanted: Wanted) -> Log:
    data = textfile.contents(path)
    if data is None:
        raise NotFound(f"{path}: no such file")
    text = decoded(path, data)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BadInput(f"{path}:{line}: this is no text; nothing was changed")
    other = re.match(marked.OTHER, text)
    if other and not marked.is_marked(text):
        raise BadInput(
            f"{path}:2: a log of version {other[1]}, and this Warpbook reads {marked.VERSION}"
        )
    if marked.is_marked(text):
        return Log(path, data, contents.read(str(path), text, journal.today()))
    return Log(path, data, understand(str(path), text, wanted))


def asked_of(journal: Journal, asked: Asked, track: str | None) -> Wanted:
    """With what the settings know of tracks and targets."""
    settings = journal.settings
    targets = tuple(
        one.target for name, one in settings.tracks.items() if one.target and track in (None, name)
    )
    made = Asked(asked.today, asked.year, asked.order, asked.first, asked.start, targets)
    return Wanted(made, track, tuple(settings.tracks), settings.track)


def new(journal: Journal, log: Log) -> New:
    taken = Ledger(journal.folder)
    if isinstance(log.found, Contents):
        parts = [one for one in log.found.parts if contents.part_hash(one) not in taken]
        count = dict.fromkeys((marked.DAY, marked.READING, marked.CARDS), 0)
        for part in parts:
            count[part.kind] += part.piece != marked.HEAD
        return New(*count.values())
    days, reading, cards = fresh.fresh(log.found, taken)
    return New(len(days), len(reading), len(cards))


def take_in(journal: Journal, log: Log, progress: Progress | None = None) -> Done:
    """The log itself is kept first."""
    from warpbook.journal.importing import apply, parts

    kept = ledger.keep(journal.folder, log.name, log.data)
    if isinstance(log.found, Contents):
        return parts.apply(journal, log.found, kept, progress)
    return apply.apply(journal, log.found, kept, progress)
