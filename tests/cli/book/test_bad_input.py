"""Every mistake and every bad disk ends in one clear line and the right exit status, and loses
nothing."""

import hashlib
import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from warpbook.book.book import Book

# Root may write anywhere; without its capabilities the modes of files hold for it too.
AS_ANYBODY = """
import ctypes, sys
header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert ctypes.CDLL(None, use_errno=True).capset(header, none) == 0
sys.argv = ["warpbook", *sys.argv[1:]]
from warpbook.cli.main import main
main()
"""
# SQLite says that the disk is full where its file may not grow.
ON_A_FULL_DISK = """
import sys
from warpbook.book import store
connect = store.connect
def full(path):
    found = connect(path)
    pages = found.execute("PRAGMA page_count").fetchone()[0]
    found.execute(f"PRAGMA max_page_count = {pages}")
    return found
store.connect = full
sys.argv = ["warpbook", *sys.argv[1:]]
from warpbook.cli.main import main
main()
"""
NO_PACKAGE = """
import sys
sys.modules[sys.argv.pop(1)] = None
sys.argv = ["warpbook", *sys.argv[1:]]
from warpbook.cli.main import main
main()
"""


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def refused(ended, status, *words):
    assert ended.returncode == status, ended.stdout + ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1, ended.stderr
    for word in words:
        assert word in ended.stderr


@pytest.mark.parametrize(
    "verb",
    [
        *("hypothesis show H-9", "hypothesis withdraw H-9", "experiment show E-9", "run show R-9"),
        *("experiment pin E-9", "stop R-9", "more E-9", "more H-9", "rerun E-9", "confirm H-9"),
        *("noise E-9", "finding show F-9", "release E-9", "why F-9", "note hm --about F-9"),
        *("finding add so --supports H-9", "run list --experiment E-9", "log --about h9"),
    ],
)
def test_an_unknown_id_is_named(say, book, verb):
    before = book.log.last()
    said = say(*verb.split(), status=2)
    assert "-9 in this book" in said.err
    assert said.out == ""
    assert book.log.last() == before


@pytest.mark.parametrize("name", ["H", "-1", "R-1", "H-", "H-1.5", "H-99999999999999999999"])
def test_what_is_no_id_is_answered_with_one(say, name):
    assert "write H-3" in say("hypothesis", "show", "--", name, status=2).err


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("run list --state weird", "no state 'weird': running, valid"),
        ("experiment list --state weird", "no state 'weird': draft"),
        ("hypothesis list --verdict maybe", "no verdict 'maybe'"),
        ("experiment priority E-1 99999999999999999999", "less than or equal to"),
        ("run list --offset 99999999999999999999", "less than or equal to"),
        ("log --after 99999999999999999999", "less than or equal to"),
        ("note \udcff", "no UTF-8"),
    ],
)
def test_what_no_book_can_hold_is_refused(say, book, verb, said):
    before = book.log.last()
    assert said in say(*verb.split(), status=2).err
    assert book.log.last() == before


def test_an_unknown_id_ends_a_process_with_2(ask):
    refused(ask("hypothesis", "show", "H-9", status=2), 2, "there is no hypothesis H-9")


def test_no_book_and_a_folder_that_is_none(say, tmp_path):
    said = say("queue", "--book", tmp_path, status=2)
    assert "is no book" in said.err
    assert f"warpbook init {tmp_path}" in said.err


def test_a_book_is_not_made_twice(say, book):
    assert "is a book already" in say("init", book.folder, status=2).err


def test_settings_that_do_not_read_are_named_with_their_line(say, book):
    (book.folder / "warpbook.toml").write_text("author = ana\n")
    assert "warpbook.toml: not TOML" in say("queue", status=2).err


def test_a_full_disk_changes_nothing(book):
    before = book.log.last()
    refused(run(ON_A_FULL_DISK, "note", "x" * 100_000), 3, "the disk is full")
    assert book.log.last() == before
    assert book.log.note("there is room again").id == before + 1


def test_a_book_that_can_only_be_read_is_read_and_not_changed(book):
    book.log.note("kept")
    book.close()
    before = digest(book.folder / "book.db")
    files = [book.folder / name for name in ("book.db", "warpbook.toml", "runs", ".")]
    for path in files:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        ended = run(AS_ANYBODY, "log", "--json")
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout)[-1]["text"] == "kept"
        refused(run(AS_ANYBODY, "note", "more"), 3, "can only be read", "nothing was changed")
    finally:
        for path in files:
            path.chmod(0o755)
    assert digest(book.folder / "book.db") == before


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_book_of_a_newer_version_is_left_alone(say, book):
    book.close()
    with closing(sqlite3.connect(book.folder / "book.db")) as file, file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
    before = digest(book.folder / "book.db")
    said = say("queue", status=3)
    assert "newer Warpbook" in said.err
    assert "nothing was changed" in said.err
    assert digest(book.folder / "book.db") == before


def test_a_damaged_file_is_told_by_every_verb_and_by_check(say, book):
    for number in range(50):
        book.log.note(f"{number} " * 200)
    book.close()
    path = book.folder / "book.db"
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    path.write_bytes(whole[:20480] + b"\xff" * 20480 + whole[40960:])
    assert "the file is damaged" in say("log", status=2).err
    assert say("check", "--json", status=1).document["clean"] is False
    path.write_bytes(b"not a database, whatever its name says" * 100)
    assert "the file is damaged" in say("queue", status=2).err
    path.unlink()
    assert "no such file; unpack a backup" in say("queue", status=2).err
    (book.folder / "warpbook.toml").unlink()
    assert "a new book" in say("init", book.folder).out


def test_a_row_edited_in_the_file_is_found_by_check(say, desk, book):
    desk.tried()
    book.close()
    assert "nothing wrong" in say("check").out
    with closing(sqlite3.connect(book.folder / "book.db")) as file, file:
        file.execute("UPDATE hypotheses SET delta = 0.001")
    assert "H-1" in say("check", status=1).out


@pytest.mark.parametrize(
    ("package", "verb", "extra"),
    [("sqlalchemy", "queue", "lab"), ("Ray", "work --once --executor ray", "ray")],
)
def test_a_package_that_is_missing_is_named_with_its_extra(book, package, verb, extra):
    ended = run(NO_PACKAGE, package.lower(), *verb.split())
    refused(ended, 3, package, f"pip install 'warpbook[{extra}]'")


def test_reading_the_book_does_not_wait_for_torch(book):
    assert "the queue is empty" in run(NO_PACKAGE, "torch", "queue").stdout


def test_help_needs_no_package_of_the_book():
    ended = run(NO_PACKAGE, "sqlalchemy", "hypothesis", "add", "--help")
    assert "--at-least" in ended.stdout


PRINTED = {
    "missing": ("""echo '{"other": 1}'""", "seconds"),
    "zero": ("""echo '{"seconds": 0}'""", "above zero"),
}


def test_what_a_command_prints_wrong_fails_its_run_and_says_what(say, ask, book):
    for command, _ in PRINTED.values():
        arms = ("--command", command, "--baseline", """echo '{"seconds": 1}'""")
        more = ("--metric", "seconds", "--device", "none", "--expect", "1.1x..1.2x")
        say("try", *arms, *more)
    ask("work", "--until-empty")
    again = Book.open(book.folder)
    for number, (kind, (_, said)) in enumerate(PRINTED.items(), 1):
        (run_,) = again.runs.list(experiment=f"E-{number}")
        assert run_.state == "failed", kind
        assert said in run_.reason, kind
        assert again.experiments.get(number).state == "failed"
        assert again.hypotheses.get(number).runs == 0
        assert again.experiments.predictions(number)[0].outcome == ""
    again.close()
    assert "nothing wrong" in say("check").out
