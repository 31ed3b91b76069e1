"""Noticing that anybody changed the book, another process included."""

import sqlite3
from typing import TYPE_CHECKING

from warpbook.book.sqlite import connect, translated

if TYPE_CHECKING:
    from warpbook.book.book import Book


class Watch:
    """Whether anybody changed the book since the last look; a look costs microseconds."""

    def __init__(self, book: "Book") -> None:
        self._path = book.store.path
        self._connection: sqlite3.Connection = connect(self._path)
        self._last = -1

    def seen(self) -> bool:
        with translated(self._path):
            version: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
        changed, self._last = version != self._last, version
        return changed

    def close(self) -> None:
        self._connection.close()
