"""When the book or a text of the journal changes: one watcher for all browsers and streams.

Knows that there is a log that grows and that there are files, and nothing of who listens.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from warpbook.book.book import Book
from warpbook.book.watch import Watch
from warpbook.core.errors import WarpbookError
from warpbook.journal.texts import files

LOOK_S = 0.15
TEXTS_S, MOST_TEXTS_S = 0.6, 2.0  # between looks at the journal's files
REST = 100  # times the processor time of a look, before the next: 6 to 10 ms for 2,000 files


class Feed:
    """`version` grows with every change, telemetry included; `last_event` is the last line of the
    log, and `texts` grows when a file of the journal changes. What is derived changes only along
    with the log."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.version = 0
        self.last_event = 0
        self.texts = 0
        self.closed = False
        self._changed = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="feed")
        self._watch: Watch | None = None
        self._stamp: int | None = None
        self._stamp_next = 0.0
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self._look()
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._wake()
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
        self._thread.shutdown(wait=False)

    async def wait(self, after: int, timeout_s: float) -> bool:
        """Until the log has a line past `after`; False when it has none by then."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.last_event <= after and not self.closed:
                    await self._changed.wait()
        return self.last_event > after

    @property
    def ground(self) -> tuple[int, int]:
        """What pages of the journal rest on: its texts, and the figures that they cite."""
        return self.last_event, self.texts

    async def change(self, since: tuple[int, int], timeout_s: float) -> None:
        """Until the log or a text has changed since `since`, or that long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.ground == since and not self.closed:
                    await self._changed.wait()

    async def end(self) -> None:
        """Until it is stopped."""
        while not self.closed:
            await self._changed.wait()

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            # A book that is busy, or on a disk that is full, is looked at again.
            with suppress(WarpbookError, OSError):
                await self._look()

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        last, texts = await loop.run_in_executor(self._thread, self._seen)
        if last is not None:
            self.version += 1
            self.last_event = last
        if texts:
            self.texts += 1
        if texts or last is not None:
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _seen(self) -> tuple[int | None, bool]:
        """The last line of the log if anything has changed, and whether a text has; in the feed's
        own thread."""
        if self._watch is None:
            self._watch = Watch(self.book)
        last = self.book.log.last() if self._watch.seen() else None
        return last, self._texts_changed()

    def _texts_changed(self) -> bool:
        if time.monotonic() < self._stamp_next:
            return False
        began = time.thread_time()
        stamp = files.stamp(self.book.folder)
        rest_s = REST * (time.thread_time() - began)
        self._stamp_next = time.monotonic() + min(max(TEXTS_S, rest_s), MOST_TEXTS_S)
        changed, self._stamp = stamp != self._stamp, stamp
        return changed

    def _let_go(self) -> None:
        if self._watch:
            self._watch.close()
