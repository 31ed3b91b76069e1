"""An index of the journal's text files, and a search index of claims, findings and notes.

All of it is derived. `journal_*` is made again from the files; `book_text` is kept by triggers, and
a row's number says what it is of. Long texts are searched by their beginning.
"""

from alembic import op

revision = "0003"
down_revision = "0002"

MOST = 20_000  # characters of one text

TABLES = (
    """
CREATE TABLE journal_files (
path TEXT NOT NULL PRIMARY KEY, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
size INTEGER NOT NULL, inode INTEGER NOT NULL, sha256 TEXT NOT NULL, indexed_ns INTEGER NOT NULL,
problems TEXT NOT NULL
)""",
    """
CREATE TABLE journal_entries (
id INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL,
key TEXT NOT NULL, date TEXT NOT NULL, topic TEXT NOT NULL, state TEXT NOT NULL,
title TEXT NOT NULL, document TEXT NOT NULL
)""",
    "CREATE INDEX journal_entries_key ON journal_entries (kind, key)",
    "CREATE INDEX journal_entries_date ON journal_entries (kind, date)",
    "CREATE INDEX journal_entries_topic ON journal_entries (kind, topic, state)",
    "CREATE INDEX journal_entries_path ON journal_entries (path, line)",
    "CREATE VIRTUAL TABLE journal_text USING fts5(title, body, prefix='2 3')",
    """
CREATE TABLE journal_recall (
card TEXT NOT NULL PRIMARY KEY, due TEXT, state INTEGER NOT NULL, step INTEGER, stability REAL,
difficulty REAL, last_review TEXT, reviews INTEGER NOT NULL, lapses INTEGER NOT NULL,
flagged INTEGER NOT NULL, suspended INTEGER NOT NULL
)""",
    "CREATE INDEX journal_recall_due ON journal_recall (due)",
    "CREATE TABLE journal_meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
    """
CREATE VIRTUAL TABLE book_text USING fts5(
title, body, kind UNINDEXED, key UNINDEXED, prefix='2 3'
)""",
)


def cut(column: str) -> str:
    return f"substr({column}, 1, {MOST})"


def row(table: str, of: str) -> str:
    """The values of a row of book_text for a row of `table` that is called `of`."""
    return {
        "hypotheses": f"{of}.id * 3, {cut(f'{of}.claim')}, {cut(f'{of}.because')}, 'hypothesis', "
        f"'H-' || {of}.id",
        "findings": f"{of}.id * 3 + 1, {cut(f'{of}.statement')}, '', 'finding', 'F-' || {of}.id",
        "events": f"{of}.id * 3 + 2, {cut(f'{of}.text')}, {of}.subject, 'note', {of}.id",
    }[table]


COLUMNS = "(rowid, title, body, kind, key)"
REWORDED = {"hypotheses": ("claim, because", 0), "findings": ("statement", 1)}


def kept() -> list[str]:
    """What fills the search index, and the triggers that keep it. Notes are events: they stay."""
    made = []
    for table in ("hypotheses", "findings", "events"):
        only = " WHERE {0}.kind = 'note'" if table == "events" else ""
        when = " WHEN NEW.kind = 'note'" if table == "events" else ""
        made += [
            f"INSERT INTO book_text {COLUMNS} SELECT {row(table, 't')} FROM {table} t"
            + only.format("t"),
            f"CREATE TRIGGER book_text_{table}_added AFTER INSERT ON {table}{when}\n"
            f"BEGIN INSERT INTO book_text {COLUMNS} VALUES ({row(table, 'NEW')}); END",
        ]
    for table, (columns, rest) in REWORDED.items():
        old = f"DELETE FROM book_text WHERE rowid = OLD.id * 3 + {rest};"
        made += [
            f"CREATE TRIGGER book_text_{table}_changed AFTER UPDATE OF {columns} ON {table}\n"
            f"BEGIN {old} INSERT INTO book_text {COLUMNS} VALUES ({row(table, 'NEW')}); END",
            f"CREATE TRIGGER book_text_{table}_deleted AFTER DELETE ON {table}\nBEGIN {old} END",
        ]
    return made


def upgrade() -> None:
    for statement in (*TABLES, *kept()):
        op.get_bind().exec_driver_sql(statement.strip())
