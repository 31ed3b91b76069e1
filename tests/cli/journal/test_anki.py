"""`warpbook import anki` and `warpbook export anki`."""

import json
import zipfile

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app


@pytest.fixture
def run(book):
    return lambda *words: CliRunner().invoke(app, [*map(str, words)])


def test_an_import_is_shown_first_and_written_when_asked(run, book, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("#deck:GPU\n#tags:x\nWhat is \x1b[2J?\tThat\nno answer\t\n")
    ended = run("import", "anki", notes)
    assert "1 new, 0 here already, 1 lines left out; nothing was changed" in ended.stdout
    assert "line 4: not understood: no answer: 'no answer'" in ended.stderr
    assert "line 2: not kept: tags are not kept: x" in ended.stderr
    assert "\x1b" not in ended.stdout
    assert not (book / "cards").exists()
    assert "1 written" in run("import", "anki", notes, "--write").stdout
    document = json.loads(run("import", "anki", notes, "--write", "--json").stdout)
    assert (document["written"], document["cards"][0]["known"]) == (0, True)
    assert [one["line"] for one in document["left_out"]] == [4]


def test_a_topic_of_your_own(run, book, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("#deck:GPU\na\tb\n")
    run("import", "anki", notes, "--topic", "mine", "--write")
    assert (book / "cards" / "mine.md").is_file()


def test_a_file_that_is_not_there_or_no_text(run, tmp_path):
    assert run("import", "anki", tmp_path / "none.txt").exit_code == 2
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"a\tb\n\xff\tc\n")
    ended = run("import", "anki", bad)
    assert ended.exit_code == 2
    assert "bad.txt:2: not UTF-8" in ended.stderr


def test_an_export_is_a_package(run, tmp_path):
    assert run("export", "anki", tmp_path / "x.apkg").exit_code == 2
    run("card", "add", "a", "b", "--topic", "gpu")
    ended = run("export", "anki", tmp_path / "x.apkg", "--topic", "gpu")
    assert "1 cards of 1 notes in 1 decks" in ended.stdout
    assert zipfile.is_zipfile(tmp_path / "x.apkg")
    document = json.loads(run("export", "anki", tmp_path / "y.apkg", "--json").stdout)
    assert document["cards"] == 1
