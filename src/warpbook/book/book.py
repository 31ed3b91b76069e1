"""A book: a folder with its settings, its database, and the collections that the verbs are made of.

Knows nothing of what any collection does.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.orm import Session

from warpbook.book import folder as folders
from warpbook.book.authors import Calibration
from warpbook.book.campaigns import INBOX, Campaigns
from warpbook.book.experiments import Experiments
from warpbook.book.findings import Findings
from warpbook.book.folder import Settings, read_settings, require_book
from warpbook.book.hypotheses import Hypotheses
from warpbook.book.log import Log
from warpbook.book.measurements import Measurements
from warpbook.book.queue import Queue
from warpbook.book.runs import Runs
from warpbook.book.store import Store, Write, translated
from warpbook.core.errors import BadInput, Missing


class Book:
    def __init__(self, folder: Path, settings: Settings, store: Store, author: str) -> None:
        self.folder = folder
        self.settings = settings
        self.store = store
        self.author = author
        self._mine = threading.local()
        self.campaigns = Campaigns(self)
        self.hypotheses = Hypotheses(self)
        self.experiments = Experiments(self)
        self.runs = Runs(self)
        self.findings = Findings(self)
        self.queue = Queue(self)
        self.measurements = Measurements(self)
        self.calibration = Calibration(self)
        self.log = Log(self)

    @classmethod
    def create(cls, folder: Path | str, author: str | None = None) -> "Book":
        """A new book. The settings come last: a folder with them holds a whole book."""
        from warpbook.book import migrate

        folder = Path(folder).expanduser().absolute()
        settings = folder / folders.SETTINGS
        if settings.exists():
            raise BadInput(f"{folder} is a book already; nothing was changed")
        try:
            (folder / folders.RUNS).mkdir(parents=True, exist_ok=True)
            if not (folder / folders.DATABASE).exists():
                with translated(folder / folders.DATABASE):
                    migrate.create(folder / folders.DATABASE)
            settings.write_text(folders.NEW_SETTINGS, encoding="utf-8")
        except OSError as error:
            raise Missing(f"{folder}: no book can be made there: {error.strerror}") from None
        book = cls.open(folder, author)
        if not book.campaigns.list():
            book.campaigns.add(INBOX, goal="what has no campaign of its own")
        return book

    @classmethod
    def open(cls, folder: Path | str | None = None, author: str | None = None) -> "Book":
        found = require_book(Path(folder) if folder is not None else None)
        settings = read_settings(found)
        store = Store.open(found / folders.DATABASE)
        return cls(found, settings, store, author or settings.author)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Inside `writing`, what is written there is seen already."""
        ongoing = self._ongoing()
        if ongoing:
            yield ongoing.session
            return
        with self.store.read() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Write]:
        """One transaction. Collections called inside it, from the same thread, take part in it, so
        that a hypothesis and its experiment come into being together or not at all."""
        ongoing = self._ongoing()
        if ongoing:
            yield ongoing
            return
        with self.store.write(self.author) as write:
            self._mine.write = write
            try:
                yield write
            finally:
                self._mine.write = None

    def close(self) -> None:
        self.store.close()

    def _ongoing(self) -> Write | None:
        return getattr(self._mine, "write", None)
