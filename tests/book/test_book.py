"""Making and opening a book, and one transaction over several collections."""

import sqlite3

import pytest
from book_desk import TIME
from sqlalchemy.exc import IntegrityError

from warpbook.book.book import Book
from warpbook.core.errors import BadInput, Missing


def test_a_new_book_has_settings_a_database_and_the_inbox(tmp_path):
    book = Book.create(tmp_path / "b")
    assert {path.name for path in (tmp_path / "b").iterdir()} >= {
        "warpbook.toml",
        "book.db",
        "runs",
    }
    assert [campaign.name for campaign in book.campaigns.list()] == ["inbox"]
    assert [campaign.name for campaign in Book.open(tmp_path / "b").campaigns.list()] == ["inbox"]


def test_a_folder_with_a_book_is_refused(book):
    with pytest.raises(BadInput, match="is a book already"):
        Book.create(book.folder)


def test_a_database_without_settings_is_kept(book):
    (book.folder / "warpbook.toml").unlink()
    book.hypotheses.add("kept", TIME, 0.03)
    again = Book.create(book.folder)
    assert [hypothesis.claim for hypothesis in again.hypotheses.list()] == ["kept"]


def test_where_no_folder_can_be_made_it_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Missing, match="no book can be made"):
        Book.create(tmp_path / "file" / "book")


def test_a_transaction_over_two_collections_is_all_or_nothing(book, desk):
    desk.tried("same")
    before = book.log.last()
    with pytest.raises(BadInput):
        claim_with_experiment(book, desk, "same")
    assert len(book.hypotheses.list()) == 1
    assert book.log.last() == before


def claim_with_experiment(book, desk, change):
    with book.writing():
        claim = desk.claim("gone with its experiment")
        assert book.hypotheses.get(claim.name).claim == claim.claim
        desk.experiment(claim, change=change)


def test_the_author_is_the_one_it_was_opened_for(book):
    other = Book.open(book.folder, author="ben")
    assert other.hypotheses.add("his", TIME, 0.03).author == "ben"
    assert book.log.latest(1)[0].author == "ben"


def test_foreign_keys_hold(book):
    insert = "INSERT INTO links VALUES (1, 'u', 99, 'supports', 'H', 1)"
    with pytest.raises(IntegrityError, match="FOREIGN KEY"):
        run_sql(book, insert)


def run_sql(book, text):
    with book.store.write("ana") as write:
        write.session.connection().exec_driver_sql(text)


def test_the_log_cannot_be_edited_or_deleted_in_the_file(book):
    with sqlite3.connect(book.folder / "book.db") as connection:
        with pytest.raises(sqlite3.IntegrityError, match="never edited"):
            connection.execute("UPDATE events SET text = 'other'")
        with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
            connection.execute("DELETE FROM events")
