"""When the book changes: one watcher for all browsers and streams.

Knows that there is a log that grows, and nothing of who listens.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from warpbook.book.book import Book
from warpbook.book.watch import Watch
from warpbook.core.errors import WarpbookError

LOOK_S = 0.15


class Feed:
    """`version` grows with every change, telemetry included; `last_event` is the last line of the
    log. What is derived changes only along with the log."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.version = 0
        self.last_event = 0
        self.closed = False
        self._changed = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="feed")
        self._watch: Watch | None = None
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
        if self._watch:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._watch.close)
        self._thread.shutdown(wait=False)

    async def wait(self, after: int, timeout_s: float) -> bool:
        """Until the log has a line past `after`; False when it has none by then."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.last_event <= after and not self.closed:
                    await self._changed.wait()
        return self.last_event > after

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            # A book that is busy, or on a disk that is full, is looked at again.
            with suppress(WarpbookError, OSError):
                await self._look()

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        last = await loop.run_in_executor(self._thread, self._seen)
        if last is not None:
            self.version += 1
            self.last_event = last
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _seen(self) -> int | None:
        """The last line of the log if anything has changed; in the feed's own thread."""
        if self._watch is None:
            self._watch = Watch(self.book)
        return self.book.log.last() if self._watch.seen() else None
