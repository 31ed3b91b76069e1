"""A desk for the book that a journal belongs to: claims, runs and findings as the lab has them."""

import sys
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "book"))

from book_desk import Desk

from warpbook.book.book import Book


@contextmanager
def desk_of(folder):
    book = Book.open(folder, "ana")
    try:
        yield Desk(book)
    finally:
        book.close()
