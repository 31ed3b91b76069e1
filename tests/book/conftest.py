"""A book in a folder of its own. Builders are imported by their path: tests are no package."""

import sys
from pathlib import Path

import pytest

from warpbook.book.book import Book

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def book(tmp_path):
    made = Book.create(tmp_path / "book", author="ana")
    yield made
    made.close()


@pytest.fixture
def desk(book):
    from book_desk import Desk

    return Desk(book)
