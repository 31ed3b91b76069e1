"""A backup: whole while others write, and good to go on from."""

import subprocess
import sys
import tarfile
import threading

import pytest
from book_desk import FAST

from warpbook.book.audit import check as audit
from warpbook.book.backup import backup
from warpbook.book.book import Book
from warpbook.core.errors import BadInput, Missing


@pytest.fixture
def full(book, desk):
    _, experiment = desk.tried()
    desk.results(experiment, FAST, FAST, FAST)
    (book.folder / "journal").mkdir()
    (book.folder / "journal" / "2026-01-04.md").write_text("a day")
    (book.folder / "workers").mkdir()
    (book.folder / "workers" / "W-1.lock").write_text("")
    (book.folder / ".dashboard").mkdir()
    (book.folder / ".dashboard" / "token").write_text("nobody else's")
    return book


def restore(archive, target):
    """As the docs say."""
    target.mkdir()
    subprocess.run(["tar", "xzf", archive, "-C", target], check=True)
    return Book.open(target)


def test_a_restored_book_is_the_same_and_goes_on(full, tmp_path):
    kept = backup(full, tmp_path / "kept.tar.gz")
    book = restore(kept, tmp_path / "again")
    assert audit.check(book.folder) == audit.check(full.folder)
    assert (book.folder / "journal" / "2026-01-04.md").read_text() == "a day"
    assert book.runs.receipt("R-1") == full.runs.receipt("R-1")
    book.log.note("it goes on")
    assert audit.check(book.folder).problems == []
    book.close()


def test_only_what_belongs_to_it_is_kept(full, tmp_path):
    first = backup(full)
    assert first.parent == full.folder / "backups"
    with tarfile.open(backup(full, tmp_path / "kept.tar.gz")) as archive:
        tops = {name.split("/")[0] for name in archive.getnames()}
    assert tops == {"book.db", "warpbook.toml", "runs", "journal"}


def test_it_is_whole_while_others_write(full, tmp_path):
    stop = threading.Event()

    def write():
        other = Book.open(full.folder)
        while not stop.is_set():
            other.log.note("a line")
        other.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for i in range(3):
            kept = backup(full, tmp_path / f"{i}.tar.gz")
            book = restore(kept, tmp_path / f"{i}")
            assert audit.check(book.folder).problems == []
            book.close()
    finally:
        stop.set()
        writer.join()


def test_the_target_must_be_new(full, tmp_path):
    target = tmp_path / "kept.tar.gz"
    target.write_text("mine")
    with pytest.raises(BadInput, match="there already"):
        backup(full, target)
    assert target.read_text() == "mine"
    with pytest.raises(BadInput, match="no folder"):
        backup(full, tmp_path / "no" / "kept")


READ_ONLY = """
import os, sys
from pathlib import Path
from warpbook.book.book import Book
from warpbook.book.backup import backup
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    backup(Book.open(sys.argv[1]), Path(sys.argv[2]))
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def test_a_target_that_cannot_be_written_is_said(full, tmp_path):
    """By a user who may read the book and not write there."""
    place = tmp_path / "place"
    place.mkdir(mode=0o555)
    for folder in (tmp_path, *tmp_path.parents[:4]):
        if folder.name.startswith(("pytest", "popen")) or folder == tmp_path:
            folder.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, full.folder, place / "kept"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Missing: "), done.stderr
    assert "Permission denied" in done.stderr or "could not be written" in done.stderr
    assert list(place.iterdir()) == []


def test_a_damaged_book_is_not_kept_as_if_it_were_well(full, tmp_path):
    path = full.folder / "book.db"
    full.close()
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    raw = bytearray(path.read_bytes())
    raw[4096 * 3 : 4096 * 9] = b"\x7f" * (4096 * 6)
    path.write_bytes(raw)
    with pytest.raises((BadInput, Missing), match="damaged"):
        backup(full, tmp_path / "kept.tar.gz")
    assert not (tmp_path / "kept.tar.gz").exists()
