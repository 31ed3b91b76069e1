"""`warpbook find` and `warpbook reindex`."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app


@pytest.fixture
def warpbook(book):
    def run(*arguments):
        return CliRunner().invoke(app, [*arguments])

    return run


@pytest.fixture
def day(book):
    path = book / "journal" / "2026-01-04.md"
    path.parent.mkdir()
    path.write_text("# Day 1\nbank conflicts\x1b[31m, at last\n")
    return path


def test_what_is_found_is_shown_with_its_place_and_nothing_drives_the_terminal(warpbook, day):
    ended = warpbook("find", "bank confl")
    assert ended.exit_code == 0
    assert ended.stdout.startswith("journal/2026-01-04.md:1  day  2026-01-04\n  Day 1\n")
    assert "\\x1b[31m, at last" in ended.stdout
    assert "\x1b" not in ended.stdout


def test_json_has_the_same(warpbook, day):
    (hit,) = json.loads(warpbook("find", "bank", "--json").stdout)["hits"]
    assert (hit["path"], hit["line"], hit["kind"]) == ("journal/2026-01-04.md", 1, "day")


def test_nothing_found_is_said(warpbook, day):
    assert warpbook("find", "robbery").stdout == "nothing has 'robbery' in it\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("find", "***"), "no word"),
        (("find", "x", "--kind", "dog"), "there is no kind 'dog'"),
        (("card", "list", "--topic", "\udcff"), "bytes that are no UTF-8"),
    ],
)
def test_bad_input_is_told(warpbook, day, arguments, said):
    ended = warpbook(*arguments)
    assert ended.exit_code == 2
    assert said in ended.stderr


def test_reindex_says_what_it_read_and_every_problem(warpbook, day):
    for number in range(7):
        day.with_name(f"2026-02-3{number}.md").write_text("x")
    ended = warpbook("find", "bank")
    assert "2026-02-30.md:1: " in ended.stderr
    assert "and 2 more: warpbook reindex tells them all" in ended.stderr
    again = warpbook("reindex")
    assert again.exit_code == 0
    assert again.stdout.count("is no date") == 7
    assert "8 files, 1 entries in " in again.stdout
    document = json.loads(warpbook("reindex", "--json").stdout)
    assert (document["files"], document["entries"], len(document["problems"])) == (8, 1, 7)
    assert document["problems"][0]["path"] == "journal/2026-02-30.md"


def test_a_book_of_an_older_warpbook_is_brought_up_first(warpbook, book, day):
    schema = Path(__file__).parents[2] / "book" / "schemas" / "0002.sql"
    (book / "book.db").unlink()
    connection = sqlite3.connect(book / "book.db")
    connection.executescript(schema.read_text())
    connection.close()
    assert "Day 1" in warpbook("find", "bank").stdout
    assert "H-1" in warpbook("find", "reads less").stdout


WITHOUT = """
import sys
for name in ("numpy", "sqlalchemy", "yaml", "markdown_it", "fsrs", "feedparser", "genanki"):
    sys.modules[name] = None
from warpbook.cli.main import main
sys.argv = ["warpbook", "find", "bank"]
main()
"""


def test_a_search_waits_for_no_library_it_does_not_need(warpbook, day):
    warpbook("find", "bank")
    command = [sys.executable, "-c", WITHOUT]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Day 1" in ended.stdout
