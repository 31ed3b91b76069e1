"""Opening the book in use, and what a disk that is full or may only be read means for a verb."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.core.errors import BadInput, Missing

if TYPE_CHECKING:
    from warpbook.book.book import Book

IN_WORDS = {
    errno.ENOSPC: "the disk is full; nothing was changed, free some space",
    errno.EDQUOT: "the disk quota is used up; nothing was changed, free some space",
    errno.EROFS: "the file system can only be read; nothing was changed",
    errno.EACCES: "not permitted; nothing was changed",
    errno.EPERM: "not permitted; nothing was changed",
}


@contextmanager
def opened(asked: Path | None, author: str | None = None) -> Iterator["Book"]:
    from warpbook.book.book import Book
    from warpbook.book.folder import require_book

    if author is not None and not author.strip():
        raise BadInput("--author is empty: give a name")
    with disk_errors():
        book = Book.open(require_book(asked), author)
        try:
            yield book
        except UnicodeEncodeError as error:
            raise BadInput(
                "what you typed has bytes that are no UTF-8; nothing was changed"
            ) from error
        finally:
            book.store.close()


@contextmanager
def disk_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        words = IN_WORDS.get(error.errno or 0)
        if words is None:
            raise
        where = f"{error.filename}: " if error.filename else ""
        raise Missing(f"{where}{words}") from error
