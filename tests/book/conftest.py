"""A book in a folder of its own. Builders are imported by their path: tests are no package."""

import shutil
import sys
from pathlib import Path

import pytest

from warpbook.book.book import Book

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def new_book(tmp_path_factory):
    """Making the tables takes longer than copying them."""
    folder = tmp_path_factory.mktemp("new") / "book"
    Book.create(folder, author="ana").close()
    return folder


@pytest.fixture
def book(new_book, tmp_path):
    made = Book.open(shutil.copytree(new_book, tmp_path / "book"), author="ana")
    yield made
    made.close()


@pytest.fixture
def desk(book):
    from book_desk import Desk

    return Desk(book)
