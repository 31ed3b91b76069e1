"""Work that may take long, such as asking other machines, in a thread of its own.

The desk's threads stay free for those who read; a dashboard that stops does not wait for it.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from warpbook.book.folder import DATABASE
from warpbook.book.sqlite import translated
from warpbook.core.errors import Missing
from warpbook.journal.journal import Journal
from warpbook.web.desk import Desk

T = TypeVar("T")


async def aside(function: Callable[..., T], *arguments: Any) -> T:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def tell(how: Callable[[Any], None], what: Any) -> None:
        with suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(lambda: None if future.done() else how(what))

    def work() -> None:
        try:
            made = function(*arguments)
        except Exception as error:
            tell(future.set_exception, error)
        else:
            tell(future.set_result, made)

    threading.Thread(target=work, name="aside", daemon=True).start()
    return await future


async def with_journal(desk: Desk, function: Callable[..., T], *arguments: Any) -> T:
    """`function(journal, *arguments)`, with a journal of its own; Missing where the dashboard stops
    before it is done."""
    folder = desk.book.folder

    def work() -> T:
        with translated(folder / DATABASE), Journal.open(folder) as journal:
            journal.index.refresh()
            return function(journal, *arguments)

    working, end = asyncio.ensure_future(aside(work)), asyncio.ensure_future(desk.feed.end())
    await asyncio.wait((working, end), return_when=asyncio.FIRST_COMPLETED)
    end.cancel()
    if not working.done():
        working.cancel()
        raise Missing("the dashboard was stopped before this was done")
    return working.result()
