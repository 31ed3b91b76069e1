"""A new book for each test, and the helpers of tests/journal."""

import shutil
import sys
from pathlib import Path

import pytest

from warpbook.book.book import Book

sys.path.insert(0, str(Path(__file__).parents[2] / "journal"))


@pytest.fixture(scope="session")
def new_book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("journal") / "book"
    Book.create(folder, author="ana").close()
    return folder


@pytest.fixture
def book(new_book, tmp_path, monkeypatch):
    """The folder of the book in use."""
    folder = shutil.copytree(new_book, tmp_path / "book")
    monkeypatch.setenv("WARPBOOK", str(folder))
    return folder
