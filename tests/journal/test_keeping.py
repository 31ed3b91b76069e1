"""A book with a journal: the audit, a backup and what comes out of it."""

import tarfile

from warpbook.book.audit.check import check
from warpbook.book.backup import backup
from warpbook.book.book import Book
from warpbook.journal.journal import Journal
from warpbook.journal.texts import textfile

DAY = "journal/2026-01-04.md"


def test_the_audit_finds_nothing_wrong_with_an_index(journal):
    journal.edit(DAY, lambda text: "# Day 1\n5x over PyTorch\n")
    assert check(journal.folder).problems == []
    journal.index.rebuild()
    assert check(journal.folder).problems == []


def test_a_backup_has_the_text_files_and_the_index_follows_them_again(journal, tmp_path):
    journal.edit(DAY, lambda text: "# Day 1\n")
    with textfile.held(journal.path(DAY)):
        book = Book.open(journal.folder)
        kept = backup(book, tmp_path / "kept.tar.gz")
        book.close()
    with tarfile.open(kept) as archive:
        assert {name for name in archive.getnames() if "/" in name} == {DAY}
        archive.extractall(tmp_path / "again", filter="data")
    with Journal.open(tmp_path / "again") as again:
        again.index.refresh()
        assert [entry.title for entry in again.index.entries("day")] == ["Day 1"]
