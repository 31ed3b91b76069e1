"""A book of the test's own, and two ways to its verbs: within this process, and as a process of
its own."""

import shutil
import sys
from pathlib import Path

import pytest

from warpbook.book.book import Book

sys.path.insert(0, str(Path(__file__).parents[2] / "book"))


@pytest.fixture(scope="session")
def new_book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new") / "book"
    Book.create(folder, author="ana").close()
    return folder


@pytest.fixture
def book(new_book, tmp_path, monkeypatch):
    """The one in use, by `$WARPBOOK`: a copy, since to make one takes ten times as long."""
    made = Book.open(shutil.copytree(new_book, tmp_path / "book"), author="ana")
    monkeypatch.setenv("WARPBOOK", str(made.folder))
    monkeypatch.chdir(tmp_path)
    yield made
    made.close()


@pytest.fixture
def desk(book):
    from book_desk import Desk

    return Desk(book)


@pytest.fixture
def say(book, say):
    return say


@pytest.fixture
def ask(warpbook, book):
    """Runs a verb as a process."""

    def run(*arguments, status=0, **environment):
        ended = warpbook(*arguments, environment={"WARPBOOK": str(book.folder)} | environment)
        assert ended.returncode == status, ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
        return ended

    return run
