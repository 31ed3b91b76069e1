"""The book as an event loop may use it: every question is asked in a thread.

SQLite blocks, so the loop's own thread may not touch the book; the store here refuses it.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from warpbook.book import folder as folders
from warpbook.book.book import Book
from warpbook.book.sqlite import translated
from warpbook.book.store import Store, Write
from warpbook.core.errors import Missing
from warpbook.journal.days import waiting
from warpbook.journal.journal import Journal
from warpbook.journal.texts import files
from warpbook.web.feed import Feed

T = TypeVar("T")
THREADS = 4  # for the book, and as many for the journal: neither waits for the other
KEPT = 64  # answers shared by all browsers until the book changes


class OffLoop(Store):
    """A store for threads without an event loop."""

    @contextmanager
    def read(self) -> Iterator[Session]:
        refuse_on_loop()
        with super().read() as session:
            yield session

    @contextmanager
    def write(self, author: str) -> Iterator[Write]:
        refuse_on_loop()
        with super().write(author) as write:
            yield write


def refuse_on_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError("the event loop would wait for SQLite here: ask through Desk.ask")


class Desk:
    """`feed` tells when the book has changed. Start and stop it on the loop that asks."""

    def __init__(self, folder: Path) -> None:
        found = folders.require_book(folder)
        settings = folders.read_settings(found)
        store = OffLoop.open(found / folders.DATABASE)
        self.book = Book(found, settings, store, settings.author)
        self.feed = Feed(self.book)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="desk")
        self._readers = ThreadPoolExecutor(THREADS, thread_name_prefix="journal")
        self._mine = threading.local()
        self._indexing = threading.Lock()
        self._shared: dict[Any, asyncio.Future[Any]] = {}
        self._shared_at = -1

    async def start(self) -> None:
        await self.feed.start()

    async def stop(self) -> None:
        await self.feed.stop()
        for threads in (self._threads, self._readers):
            threads.shutdown(wait=False, cancel_futures=True)
        self.book.close()

    async def ask(self, function: Callable[..., T], *arguments: Any) -> T:
        """`function(book, *arguments)`, in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, function, self.book, *arguments)

    async def read(self, function: Callable[..., T], *arguments: Any) -> T:
        """`function(journal, *arguments)`, in a thread; each has a journal of its own."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._with_journal, function, arguments)

    def _with_journal(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        with translated(self.book.folder / folders.DATABASE):
            journal = self._journal()
            with self._indexing:  # what has changed is parsed by one thread, and not by all
                waiting.flush(journal)  # what is wrong with a file there, the verbs say
                journal.index.refresh(self._unless_stopped)
            return function(journal, *arguments)

    def _unless_stopped(self, *_: int) -> None:
        """Between files: the first look at thousands of them takes seconds."""
        if self.feed.closed:
            raise Missing("the dashboard was stopped before this was done")

    def _journal(self) -> Journal:
        """This thread's own, with the settings as they are now."""
        stamp = files.stamp_of(self.book.folder / folders.SETTINGS)
        found: Journal | None = getattr(self._mine, "journal", None)
        if found is not None and self._mine.stamp == stamp:
            found.problems.clear()
            return found
        if found is not None:
            found.close()
        self._mine.journal = None  # where the settings cannot be read
        self._mine.journal = made = Journal.open(self.book.folder)
        self._mine.stamp = stamp
        return made

    async def view(self, function: Callable[..., T], *arguments: Any) -> T:
        """The same, asked once for all browsers until the book changes. Arguments are hashable."""
        version = self.feed.version
        if version != self._shared_at or len(self._shared) >= KEPT:
            self._shared.clear()
            self._shared_at = version
        key = (function, arguments)
        if key not in self._shared:
            self._shared[key] = asyncio.ensure_future(self.ask(function, *arguments))
            self._shared[key].add_done_callback(seen)
        answer: T = await asyncio.shield(self._shared[key])
        return answer


def seen(future: asyncio.Future[Any]) -> None:
    """An error is raised where the answer is awaited; that nobody waits any more is no other."""
    if not future.cancelled():
        future.exception()
