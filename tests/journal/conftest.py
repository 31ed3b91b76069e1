"""The journal of a real book, in a folder of its own; it is noon of 2026-01-10 there."""

import shutil
import sys
from datetime import datetime
from pathlib import Path

import pytest

from warpbook.book.book import Book
from warpbook.journal.journal import Journal

sys.path.insert(0, str(Path(__file__).parent))
NOON = datetime(2026, 1, 10, 12).astimezone()


@pytest.fixture(scope="session")
def new_book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("journal") / "book"
    Book.create(folder, author="ana").close()
    return folder


@pytest.fixture
def folder(new_book, tmp_path):
    """A book that nobody else has written to."""
    return shutil.copytree(new_book, tmp_path / "book")


@pytest.fixture
def journal(folder):
    with Journal.open(folder, now=lambda: NOON) as opened:
        yield opened
