"""Mistakes and bad luck: clear words, the right exit status, and nothing lost."""

import math
import os
import shutil
import sqlite3

import pytest
from book_desk import ACCURACY, TIME
from sqlalchemy import event

from warpbook.book.book import Book
from warpbook.book.revision import HEAD
from warpbook.core.errors import BadInput, Missing


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda book: book.hypotheses.get("H-9"), "there is no hypothesis H-9 in this book"),
        (lambda book: book.hypotheses.get("h9"), "there is no hypothesis H-9"),
        (lambda book: book.hypotheses.summary(9), "there is no hypothesis H-9"),
        (lambda book: book.hypotheses.withdraw("H-9"), "there is no hypothesis H-9"),
        (lambda book: book.experiments.get("E-9"), "there is no experiment E-9"),
        (lambda book: book.experiments.get("H-1"), "is no experiment: write E-3"),
        (lambda book: book.experiments.get("nonsense"), "is no experiment: write E-3"),
        (lambda book: book.experiments.pin("E-9"), "there is no experiment E-9"),
        (lambda book: book.experiments.more("H-9"), "there is no hypothesis H-9"),
        (lambda book: book.experiments.confirm("H-9"), "there is no hypothesis H-9"),
        (lambda book: book.runs.get("R-9"), "there is no run R-9"),
        (lambda book: book.runs.receipt("R-9"), "there is no run R-9"),
        (lambda book: book.runs.ask_stop("R-9"), "there is no run R-9"),
        (lambda book: book.measurements.get("M-9"), "there is no measurement M-9"),
        (lambda book: book.campaigns.get("C-9"), "there are: inbox"),
        (lambda book: book.campaigns.get("nowhere"), "there is no campaign 'nowhere'"),
        (lambda book: book.hypotheses.list(campaign="nowhere"), "there is no campaign"),
        (lambda book: book.log.note("x", "H-9"), "there is no hypothesis H-9"),
        (lambda book: book.log.note("x", "Q-9"), "is no id"),
    ],
)
def test_an_id_that_is_not_there_is_named(book, call, why):
    with pytest.raises(BadInput, match=why):
        call(book)


@pytest.mark.parametrize("name", ["H-1", "h-1", "h1", "1", 1, " H-1 "])
def test_ids_are_read_as_people_write_them(book, desk, name):
    desk.claim("found")
    assert book.hypotheses.get(name).claim == "found"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"text": "  "}, "needs a claim"),
        ({"delta": math.nan}, "no finite number"),
        ({"delta": math.inf}, "no finite number"),
        ({"delta": -0.1}, "give its size"),
        ({"direction": 0}, "1 for better"),
        ({"prior": 0.0}, "between 0 and 1"),
        ({"prior": 1.0}, "between 0 and 1"),
        ({"prior": math.nan}, "between 0 and 1"),
        ({"guards": [(ACCURACY, math.nan)]}, "guard on accuracy"),
        ({"guards": [(ACCURACY, -1.0)]}, "guard on accuracy"),
        ({"campaign": "nowhere"}, "no campaign"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_hypothesis_that_makes_no_sense_is_refused(book, desk, fields, why):
    with pytest.raises(BadInput, match=why):
        desk.claim(**fields)
    assert book.hypotheses.list() == []


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan, math.inf])
def test_a_budget_is_a_number_above_zero(book, budget):
    with pytest.raises(BadInput):
        book.campaigns.set_budget("inbox", budget, None)
    with pytest.raises(BadInput):
        book.campaigns.add("new", budget_money=budget)


def test_campaigns_have_names_of_their_own(book):
    with pytest.raises(BadInput, match="already"):
        book.campaigns.add("inbox")
    with pytest.raises(BadInput, match="needs a name"):
        book.campaigns.add("  ")
    for name in ("C-1", "e7", "two\nlines"):
        with pytest.raises(BadInput, match="no name for a campaign"):
            book.campaigns.add(name)


def test_an_archived_campaign_takes_nothing_new(book, desk):
    book.campaigns.add("old")
    claim = desk.claim(campaign="old")
    book.campaigns.archive("old")
    with pytest.raises(BadInput, match="archived"):
        desk.claim(campaign="old")
    with pytest.raises(BadInput, match="archived"):
        desk.experiment(claim)


def test_an_empty_note_is_refused(book):
    with pytest.raises(BadInput, match="empty"):
        book.log.note("  ")


def test_a_run_that_is_over_cannot_be_stopped(book, desk):
    _, experiment = desk.tried()
    run = desk.result(experiment)
    with pytest.raises(BadInput, match="R-1 is not running: it is valid"):
        book.runs.ask_stop(run.name)


def test_a_withdrawn_claim_gets_no_experiment(book, desk):
    claim = desk.claim()
    book.hypotheses.withdraw(claim.name)
    with pytest.raises(BadInput, match="withdrawn"):
        desk.experiment(claim)


def test_a_book_that_can_only_be_read_is_read_and_says_so(book, desk, tmp_path):
    desk.claim("readable")
    book.close()
    copy = tmp_path / "copy"
    shutil.copytree(book.folder, copy)
    make_read_only(copy)
    found = Book.open(copy)
    assert [h.claim for h in found.hypotheses.list()] == ["readable"]
    with pytest.raises(Missing, match="can only be read here; nothing was changed"):
        found.hypotheses.add("new", TIME, 0.03)
    assert len(found.hypotheses.list()) == 1


def make_read_only(folder):
    """A file that SQLite itself takes for read-only, also where root may write anything: a folder
    in which neither the log nor its index can be made."""
    for extra in ("book.db-wal", "book.db-shm"):
        (folder / extra).unlink(missing_ok=True)
        (folder / extra).mkdir()
    os.chmod(folder / "book.db", 0o444)


def test_a_book_from_a_newer_version_is_left_alone(book):
    book.close()
    path = book.folder / "book.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = path.read_bytes()
    with pytest.raises(Missing, match=f"newer Warpbook .its tables are 9999, these are {HEAD}"):
        Book.open(book.folder)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_says_so(book):
    book.close()
    path = book.folder / "book.db"
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(BadInput, match=r"damaged.*warpbook check"):
        Book.open(book.folder)


def test_a_damaged_file_says_so_and_what_can_be_read_is(book, desk):
    for number in range(30):
        desk.claim(f"claim {number}")
    with book.store.read() as session:
        root = (
            session.connection()
            .exec_driver_sql("SELECT rootpage FROM sqlite_master WHERE name = 'hypotheses'")
            .scalar()
        )
    book.close()
    path = book.folder / "book.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with open(path, "r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    found = Book.open(book.folder)
    with pytest.raises(BadInput, match="the file is damaged"):
        found.hypotheses.list()
    assert len(found.log.list(kind="hypothesis")) == 30


def test_a_full_disk_changes_nothing_and_says_so(book, desk):
    """SQLite counts pages here in place of a disk: the error is its own."""
    desk.claim("before")
    last = book.log.last()

    @event.listens_for(book.store._reading, "connect")
    def full(connection, record):
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(Missing, match="the disk is full; nothing was changed"):
        desk.claim("x" * 100_000)
    assert [h.claim for h in book.hypotheses.list()] == ["before"]
    assert book.log.last() == last
    event.remove(book.store._reading, "connect", full)
    desk.claim("there is room again")
    assert book.log.last() > last
