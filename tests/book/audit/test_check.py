"""`check` finds what was done to a book behind its back."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest
from book_desk import ACCURACY, FAST, TIME, Desk, make_plan

from warpbook.book.audit import check as audit
from warpbook.book.book import Book
from warpbook.book.leases import join, leave
from warpbook.core.run import Arm, Plan, RunStatus

CLEAN = []


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """At least one row in every table whose changes are events."""
    book = Book.create(tmp_path_factory.mktemp("made") / "book", author="ana")
    desk = Desk(book)
    claim = desk.claim(guards=[(ACCURACY, 0.5)], tags=["a"])
    experiment = desk.experiment(claim, plan=make_plan(metrics=(TIME, ACCURACY)))
    for gain in (FAST, FAST + 0.002, FAST - 0.002):
        desk.result(experiment, gain, gains={"accuracy": gain / 100})
    desk.result(experiment, status=RunStatus.INVALID, reason="hot", gains={"accuracy": 0.0})
    book.findings.add("It is faster.", [("supports", claim.name)])
    book.measurements.add("judgement", "softmax", ["fused"], "64x64", "cpu", {"time_us": 1.5})
    mine = Arm("mine", "ab" * 32, rung="mine", text="def softmax(x): ...")
    fused = Arm("fused", "cd" * 32, rung="fused")
    book.experiments.add(Plan("kernel", "64x64", "cpu", fused, mine, (TIME,), "softmax"))
    leave(book, join(book, "local"))
    book.close()
    return book.folder


@pytest.fixture
def full(made, tmp_path):
    shutil.copytree(made, tmp_path / "book")
    book = Book.open(tmp_path / "book")
    yield book
    book.close()


def edit(book, *statements):
    """As somebody with the file and a tool would."""
    with closing(sqlite3.connect(book.folder / "book.db", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def found(book, **more):
    return [str(problem) for problem in audit.check(book.folder, **more).problems]


def test_a_book_in_use_is_clean_and_its_contents_are_counted(full):
    report = audit.check(full.folder)
    assert report.problems == CLEAN
    assert report.counts["runs"] == 4
    assert all(report.counts.values()), report.counts
    assert report.events == full.log.last()
    assert report.head == full.log.latest(1)[0].hash


def test_a_new_book_is_clean(book):
    assert found(book) == CLEAN


TABLES = {
    "campaigns": ("goal = 'another'", "C-1: goal was edited"),
    "hypotheses": ("delta = 0.5", "H-1: delta was edited"),
    "experiments": ("plan = '{}'", "E-1: plan was edited"),
    "predictions": ("author = 'bob'", "P-1: author was edited"),
    "runs": ("seconds = 0.1", "R-1: seconds was edited"),
    "findings": ("statement = 'no'", "F-1: statement was edited"),
    "links": ("type = 'refutes'", "L-1: type was edited"),
    "measurements": ("document = '{}'", "M-1: document was edited"),
    "sources": ("name = 'x'", "name was edited"),
    "authors": ("held = 1", "authors ana: held was edited"),
    "workers": ("host = 'x'", "W-1: host was edited"),
}


@pytest.mark.parametrize("table", TABLES)
def test_an_edited_row_is_found_in_every_table(full, table):
    change, said = TABLES[table]
    edit(full, "DROP TRIGGER locked_predictions_stay", f"UPDATE {table} SET {change}")
    assert any(said in line for line in found(full))


@pytest.mark.parametrize("table", TABLES)
def test_a_deleted_row_is_found_in_every_table(full, table):
    edit(
        full,
        "PRAGMA foreign_keys = OFF",
        "DROP TRIGGER locked_predictions_are_kept",
        f"DELETE FROM {table}",
    )
    assert any("is gone from its table" in line for line in found(full))


def test_every_table_is_looked_at():
    from warpbook.book.audit.fold import WITHOUT_EVENTS
    from warpbook.book.tables import BY_TABLE

    assert TABLES.keys() | WITHOUT_EVENTS == BY_TABLE.keys()


def test_a_row_that_no_event_tells_of_is_found(full):
    edit(full, "INSERT INTO authors (name, held, widen) VALUES ('eve', 0, 1.0)")
    assert found(full) == ["authors eve: is in its table, and no event tells of it"]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM events WHERE id = 5", "event 6: follows event 4: what was between is gone"),
        ("UPDATE events SET text = 'x' WHERE id = 5", "event 5: was edited"),
        ("UPDATE events SET data = 'x' WHERE id = 5", "event 5: was edited: its data is no JSON"),
        ("UPDATE events SET previous = 'x' WHERE id = 5", "event 5: does not carry the hash"),
    ],
)
def test_a_log_that_was_tampered_with_is_found(full, statement, said):
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        edit(full, statement)
    edit(
        full,
        "DROP TRIGGER events_are_not_edited",
        "DROP TRIGGER events_are_not_deleted",
        statement,
    )
    lines = found(full)
    assert any(said in line for line in lines)
    assert "book.db: the trigger events_are_not_edited was dropped" in lines


def test_a_locked_prediction_cannot_be_edited_and_if_it_was_that_is_found(full):
    change = "UPDATE predictions SET low = -1.0 WHERE id = 1"
    with pytest.raises(sqlite3.IntegrityError, match="a locked prediction is never edited"):
        edit(full, change)
    edit(full, "DROP TRIGGER locked_predictions_stay", change)
    lines = found(full)
    assert "book.db: the trigger locked_predictions_stay was dropped" in lines
    assert any(line.startswith("P-1: low was edited in the file: it is -1.0") for line in lines)


def test_a_prediction_changed_through_the_log_after_it_was_locked_is_found(full):
    """Even with events that fit the row."""
    edit(full, "DROP TRIGGER locked_predictions_stay")
    with full.writing() as write:
        from warpbook.book.tables import Prediction

        row = write.session.get_one(Prediction, 1)
        write.set(row, "prediction.changed", "P-1 is changed", low=-1.0)
    last = full.log.last()
    assert f"event {last}: changes P-1 after it was locked" in found(full)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE hypotheses SET verdict = 'refuted'", "H-1: is stored as refuted"),
        ("UPDATE hypotheses SET log_support = 99.0", "H-1: log_support is stored as 99.0"),
        ("UPDATE experiments SET runs_valid = 2", "E-1: runs_valid is stored as 2; it has 3"),
        ("UPDATE campaigns SET spent_s = 0", "campaigns: spent_s is 0.0 in all; their runs make"),
        ("UPDATE hypotheses SET runs = 12", "H-1: runs is stored as 12"),
        ("UPDATE runs SET gain = 2.0 WHERE id = 2", "R-2: gain was edited"),
        (
            "UPDATE runs SET gains = '{\"time_s\": [2.0, 0.1]}'",
            "R-1: its gain and error of time_s are rec",
        ),
        ("CREATE TRIGGER evil AFTER INSERT ON runs BEGIN SELECT 1; END", "trigger evil is not"),
        ("UPDATE sources SET text = 'x'", "was edited: its hash does not fit its text"),
    ],
)
def test_what_follows_from_the_runs_is_worked_out_again(full, change, said):
    edit(full, change)
    assert any(said in line for line in found(full))


def receipt_of(book, run):
    return book.folder / "runs" / run / "receipt.json"


def test_a_receipt_that_is_gone_or_was_edited_is_found(full):
    receipt_of(full, "R-1").unlink()
    path = receipt_of(full, "R-2")
    path.write_text(path.read_text().replace("10.0", "11.0", 1))
    assert found(full) == [
        "R-1: its receipt cannot be read: No such file or directory",
        "R-2: its receipt is not the one that was recorded: its hash is another",
    ]


def test_a_receipt_of_a_run_that_is_no_evidence_is_looked_at_too(full):
    path = receipt_of(full, "R-4")
    path.write_text(path.read_text().replace("hot", "fit", 1))
    assert found(full) == ["R-4: its receipt is not the one that was recorded"]
    path.unlink()
    assert found(full) == ["R-4: its receipt cannot be read: No such file or directory"]


def test_a_receipt_whose_gain_does_not_follow_from_its_samples_is_found(full):
    """With hash, row and events made to fit."""
    from hashlib import sha256

    from warpbook.book.tables import Run

    path = receipt_of(full, "R-1")
    document = json.loads(path.read_text())
    document["metrics"][0]["baseline"] = [20.0] * 8
    path.write_text(json.dumps(document))
    with full.writing() as write:
        run = write.session.get_one(Run, 1)
        digest = sha256(path.read_bytes()).hexdigest()
        write.set(run, "run.valid", "R-1", receipt_sha256=digest)
    (line,) = found(full)
    assert line == "R-1: its gain of time_s does not follow from its samples"


def test_a_receipt_of_another_run_is_found(full):
    shutil.copy(receipt_of(full, "R-1"), receipt_of(full, "R-2"))
    assert found(full) == ["R-2: its receipt is not the one that was recorded: its hash is another"]


def test_a_damaged_file_gives_problems(full):
    path = full.folder / "book.db"
    edit(full, "PRAGMA wal_checkpoint(TRUNCATE)")
    raw = bytearray(path.read_bytes())
    raw[4096 * 3 : 4096 * 9] = b"\x7f" * (4096 * 6)
    path.write_bytes(raw)
    assert found(full)


@pytest.mark.parametrize("contents", [b"", b"not a database, but a text of some length" * 200])
def test_what_is_no_database_gives_a_problem(full, contents):
    for leftover in full.folder.glob("book.db*"):
        leftover.unlink()
    (full.folder / "book.db").write_bytes(contents)
    (line,) = found(full)
    assert line.startswith("book.db: the file is damaged: ")


def test_a_missing_file_gives_a_problem(tmp_path):
    assert [p.where for p in audit.check(tmp_path).problems] == ["book.db"]


def test_a_tail_that_was_cut_off_is_seen_with_a_hash_noted_before(book):
    book.log.note("first")
    noted = audit.check(book.folder).head
    book.log.note("second")
    assert found(book, expect=noted) == CLEAN
    edit(
        book,
        "CREATE TABLE kept AS SELECT sql FROM sqlite_master WHERE name = 'events_are_not_deleted'",
        "DROP TRIGGER events_are_not_deleted",
        "DELETE FROM events WHERE text IN ('first', 'second')",
    )
    with closing(sqlite3.connect(book.folder / "book.db")) as connection:
        connection.execute(connection.execute("SELECT sql FROM kept").fetchone()[0])
        connection.execute("DROP TABLE kept")
        connection.commit()
    assert found(book) == CLEAN
    assert found(book, expect=noted) == [
        f"events: the log does not contain {noted}: events are missing"
    ]


def test_tables_of_another_version_are_said_and_not_judged(book):
    edit(book, "UPDATE alembic_version SET version_num = '9999'")
    (line,) = found(book)
    assert "its tables are of version 9999" in line


def test_checking_changes_nothing(full):
    before = {p.name: p.read_bytes() for p in full.folder.iterdir() if p.is_file()}
    audit.check(full.folder)
    after = {p.name: p.read_bytes() for p in full.folder.iterdir() if p.is_file()}
    assert before["book.db"] == after["book.db"]
    assert before.get("book.db-wal", b"") == after.get("book.db-wal", b"")
