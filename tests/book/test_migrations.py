"""Every released schema becomes the tables of this version, with its rows."""

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from warpbook.book import migrate
from warpbook.book.match import match
from warpbook.book.revision import HEAD
from warpbook.book.store import Store, make_engine
from warpbook.book.tables import Base

# Search indexes with SQLite's own tables of them, and the index of the journal: no model has them.
PLAIN = ("experiment_text", "book_text", "journal_")
SCHEMAS = sorted((Path(__file__).parent / "schemas").glob("*.sql"))
TRIGGERS = {
    "events_are_not_edited",
    "events_are_not_deleted",
    "locked_predictions_stay",
    "locked_predictions_are_kept",
    "experiment_text_added",
    "experiment_text_changed",
    "experiment_text_deleted",
    "experiment_text_claimed",
    "experiment_text_unclaimed",
    "experiment_text_reworded",
    "book_text_hypotheses_added",
    "book_text_hypotheses_changed",
    "book_text_hypotheses_deleted",
    "book_text_findings_added",
    "book_text_findings_changed",
    "book_text_findings_deleted",
    "book_text_events_added",
}


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.db"
    migrate.create(path)
    return path


def load(path, dump):
    with sqlite3.connect(path) as connection:
        connection.executescript(dump.read_text())


def differences(path):
    engine = make_engine(path)
    with engine.connect() as connection:
        options = {"include_name": lambda name, *_: not (name or "").startswith(PLAIN)}
        context = MigrationContext.configure(connection, opts=options)
        return compare_metadata(context, Base.metadata)


def schema(path):
    """What each table, index and trigger is, however it came to be written so."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: re.sub(r"\s+", " ", sql) for name, sql in rows}


def rows(path):
    with sqlite3.connect(path) as connection:
        connection.row_factory = sqlite3.Row
        there = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master")}
        return {
            name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')]
            for name in Base.metadata.tables
            if name in there
        }


def found(path, words):
    query = "SELECT rowid FROM experiment_text WHERE experiment_text MATCH ?"
    with sqlite3.connect(path) as connection:
        return [number for (number,) in connection.execute(query, (match(words),))]


def test_a_new_book_has_the_tables_of_this_version(new):
    assert differences(new) == []
    assert schema(new).keys() >= TRIGGERS


def test_the_newest_released_schema_is_among_those_tested():
    assert SCHEMAS[-1].stem == HEAD


@pytest.mark.parametrize("dump", SCHEMAS, ids=lambda dump: dump.stem)
def test_a_released_schema_is_upgraded_with_its_rows(tmp_path, new, dump):
    path = tmp_path / "book.db"
    load(path, dump)
    before = rows(path)
    Store.open(path).close()
    assert differences(path) == []
    assert schema(path) == schema(new)
    after = rows(path)
    for table, kept in before.items():
        assert kept, f"{table} has no row in {dump.name}"
        for old, found in zip(kept, after[table], strict=True):
            assert {name: found[name] for name in old if name in found} == {
                name: value for name, value in old.items() if name in found
            }


@pytest.mark.parametrize("dump", SCHEMAS, ids=lambda dump: dump.stem)
def test_the_file_as_it_was_is_kept_beside_it(tmp_path, dump):
    path = tmp_path / "book.db"
    load(path, dump)
    before = rows(path)
    migrate.upgrade(path, dump.stem)
    assert rows(path.with_name(f"book.db.{dump.stem}")) == before


@pytest.mark.parametrize("dump", SCHEMAS, ids=lambda dump: dump.stem)
def test_experiments_of_a_released_schema_can_be_searched(tmp_path, dump):
    path = tmp_path / "book.db"
    load(path, dump)
    Store.open(path).close()
    for words in ("new against old", "new.py", "softmax small", "the new one", "reads less"):
        assert found(path, words) == [1]


def test_processes_that_open_an_older_book_at_once_upgrade_it_once(tmp_path):
    path = tmp_path / "book.db"
    load(path, SCHEMAS[0])
    before = rows(path)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(migrate.upgrade, path, SCHEMAS[0].stem) for _ in range(4)]:
            done.result()
    assert rows(path.with_name(f"book.db.{SCHEMAS[0].stem}")) == before
    assert differences(path) == []
