"""A book of the test's own, and two ways to its verbs: within this process, where only what is
shown matters, and as a process of its own."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from warpbook.book.book import Book
from warpbook.cli.main import app

sys.path.insert(0, str(Path(__file__).parents[2] / "book"))


@pytest.fixture
def book(tmp_path, monkeypatch):
    """The one in use, by `$WARPBOOK`."""
    made = Book.create(tmp_path / "book", author="ana")
    monkeypatch.setenv("WARPBOOK", str(made.folder))
    monkeypatch.chdir(tmp_path)
    yield made
    made.close()


@pytest.fixture
def desk(book):
    from book_desk import Desk

    return Desk(book)


class Said:
    def __init__(self, result):
        self.status = result.exit_code
        self.out = result.stdout
        self.err = result.stderr
        self.words = " ".join(result.stdout.split())
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception

    @property
    def document(self):
        return json.loads(self.out)


@pytest.fixture
def say(book):
    """Runs a verb in this process; what it says must be as expected, or it fails."""

    def run(*arguments, status=0):
        said = Said(CliRunner().invoke(app, [str(a) for a in arguments]))
        assert said.status == status, said.out + said.err
        return said

    return run


@pytest.fixture
def ask(warpbook, book):
    """Runs a verb as a process."""

    def run(*arguments, status=0):
        ended = warpbook(*arguments, environment={"WARPBOOK": str(book.folder)})
        assert ended.returncode == status, ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
        return ended

    return run
