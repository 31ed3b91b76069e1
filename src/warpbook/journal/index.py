"""The index of the journal: entries of all its text files, in plain tables of the book's file.

It can be made again from the files at any time, and follows them: whoever asks refreshes it first,
which looks at every file's stamp and parses those that changed. Where the book's file may only be
read, a change of the text files is followed in memory. Knows nothing of how entries are written.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import warpbook
from warpbook.book import sqlite
from warpbook.book.folder import DATABASE
from warpbook.book.revision import HEAD
from warpbook.core.errors import BadInput, Missing
from warpbook.journal.entry import Entry, Problem
from warpbook.journal.rows import (
    COLUMNS,
    ORDERS,
    behind,
    entry,
    in_order,
    selection,
    text_of,
    told,
)
from warpbook.journal.settings import JournalSettings
from warpbook.journal.texts import files

FORMAT = 2  # of what parsers make of a file; another one has all files parsed again
BATCH = 200  # files in one transaction, so that nobody who writes to the book waits long
FEW = 20  # files whose keys are looked at by themselves
UNSURE_NS = 50_000_000  # a file written this shortly before it was read may have changed since
UNIQUE = ("card", "reading")  # kinds whose keys people give, so that two may have one
Progress = Callable[[int, int], None]


class OtherTables(Missing):
    """The book's file is of another version of Warpbook."""


@dataclass(frozen=True)
class Refreshed:
    """Files that were parsed or are gone; problems of those parsed."""

    parsed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Known(NamedTuple):
    """A file as the index has it."""

    stamp: files.Stamp
    sha256: str
    indexed_ns: int

    def settled(self) -> bool:
        """Whether a later write would have given the file another stamp."""
        return self.indexed_ns - self.stamp.mtime_ns > UNSURE_NS


class Index:
    """`connection` sees all tables of the book."""

    def __init__(
        self, folder: Path, settings: JournalSettings, connection: sqlite3.Connection
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.connection = connection
        self._path = folder / DATABASE
        self._writable = all(os.access(path, os.W_OK) for path in (folder, self._path))
        self._made_by = f"{FORMAT} {warpbook.__version__} {settings.track}"

    @classmethod
    def open(cls, folder: Path, settings: JournalSettings) -> "Index":
        path = folder / DATABASE
        if not path.is_file():
            raise BadInput(f"{path}: no such file; unpack a backup of the book")
        with sqlite.translated(path):
            connection = sqlite.connect(path)
            connection.execute("PRAGMA synchronous = NORMAL")  # what is lost can be made again
            try:
                found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            except sqlite3.OperationalError as error:
                if "no such table" not in str(error):
                    raise
                found = None
        if found != (HEAD,):
            connection.close()
            raise OtherTables(f"{path}: its tables are not those of this version ({HEAD})")
        return cls(folder, settings, connection)

    def close(self) -> None:
        self.connection.close()

    def refresh(self, progress: Progress | None = None) -> Refreshed:
        with sqlite.translated(self._path):
            there = files.texts(self.folder)
            known = self._known()
            changed = self._changed(there, known)
            gone = [path for path in known if path not in there]
            return self._follow({path: there[path] for path in changed}, gone, progress)

    def rebuild(self, progress: Progress | None = None) -> Refreshed:
        """All of it from the files, whatever state it was in."""
        with sqlite.translated(self._path):
            if not self._writable:
                raise Missing(f"{self._path}: this book can only be read here")
            with self._writing():
                (made,) = self.connection.execute(
                    "SELECT sql FROM sqlite_master WHERE name = 'journal_text'"
                ).fetchone()
                self.connection.execute("DROP TABLE journal_text")
                self.connection.execute(made)
                for table in ("entries", "files", "recall", "meta"):
                    self.connection.execute(f"DELETE FROM journal_{table}")
                for table in ("book_text", "experiment_text"):
                    self.connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
            return self._follow(files.texts(self.folder), [], progress)

    def take_in(self, relative: str) -> list[Problem]:
        """One file that was just written, added or taken away."""
        with sqlite.translated(self._path):
            if not files.is_text(relative):
                return []
            stamp = files.stamp_of(self.folder / relative)
            if stamp is None:
                return self._follow({}, [relative], None).problems
            return self._follow({relative: stamp}, [], None).problems

    def one(self, kind: str, key: str) -> Entry | None:
        """With its body, which lists do without."""
        row = self.connection.execute(
            f"SELECT {COLUMNS}, t.body FROM journal_entries e JOIN journal_text t "
            "ON t.rowid = e.id WHERE e.kind = ? AND e.key = ? ORDER BY e.path, e.line LIMIT 1",
            (kind, key),
        ).fetchone()
        return None if row is None else entry(row)

    def entries(
        self,
        kind: str,
        *,
        topic: str | None = None,
        state: str | Sequence[str] | None = None,
        since: str = "",
        until: str = "",
        search: str = "",
        order: str = "date",
        descending: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Entry]:
        """`since` and `until` are dates and belong to what is listed."""
        if order not in ORDERS:
            raise ValueError(f"no order {order!r}")
        where, values = selection(kind, topic, state, since, until, search)
        way = "DESC" if descending else "ASC"
        rows = self.connection.execute(
            f"SELECT {COLUMNS}, '' FROM journal_entries e WHERE {where} "
            f"ORDER BY e.{order} {way}, e.path {way}, e.line LIMIT ? OFFSET ?",
            (*values, -1 if limit is None else limit, offset),
        )
        return [entry(row) for row in rows]

    def problems(self) -> list[Problem]:
        """All there are, in the order of files and lines."""
        rows = self.connection.execute(
            "SELECT path, problems FROM journal_files WHERE problems != '[]'"
        )
        found = [
            Problem(path, line, said) for path, all_ in rows for line, said in json.loads(all_)
        ]
        found += [problem for problem, _ in self._doubled()]
        return in_order(found)

    def _known(self) -> dict[str, Known]:
        """Nothing, where other parsers or settings made the index: all is parsed again then."""
        fit = self._signed()
        rows = self.connection.execute(
            "SELECT path, mtime_ns, ctime_ns, size, inode, sha256, indexed_ns FROM journal_files"
        )
        if not fit:
            return {row[0]: Known(files.Stamp(), "", 0) for row in rows}
        return {row[0]: Known(files.Stamp._make(row[1:5]), row[5], row[6]) for row in rows}

    def _changed(self, there: dict[str, files.Stamp], known: dict[str, Known]) -> list[str]:
        """Those with another stamp; of one that proves nothing yet, the text is compared."""
        changed: list[str] = []
        same: list[str] = []
        for path, stamp in there.items():
            before = known.get(path)
            if before is None or before.stamp != stamp:
                changed.append(path)
            elif not before.settled():
                alike = files.sha256_of(self.folder / path) == before.sha256
                (same if alike else changed).append(path)
        if same and self._writable:
            now = time.time_ns()
            with self._writing():
                self.connection.executemany(
                    "UPDATE journal_files SET indexed_ns = ? WHERE path = ?",
                    [(now, path) for path in same],
                )
        return changed

    def _follow(
        self, changed: dict[str, files.Stamp], gone: list[str], progress: Progress | None
    ) -> Refreshed:
        if not changed and not gone:
            return Refreshed()
        if not self._writable:
            self._go_to_memory()
        paths = sorted(changed)
        problems: list[Problem] = []
        for start in range(0, max(len(paths), 1), BATCH):
            batch = paths[start : start + BATCH]
            found = [files.found(self.folder, p, changed[p], self.settings) for p in batch]
            with self._writing():
                self._sign()
                self._forget(batch if start else [*batch, *gone])
                self._add(found)
            problems += [problem for one in found for problem in one.parsed.problems]
            if progress:
                progress(start + len(batch), len(paths))
        among = paths if len(paths) <= FEW else None
        doubled = self._doubled(among)
        problems += [problem for problem, both in doubled if both & changed.keys()]
        return Refreshed(paths, gone, in_order(problems))

    def _forget(self, paths: list[str]) -> None:
        each = [(path,) for path in paths]
        for statement in (
            "DELETE FROM journal_text WHERE rowid IN (SELECT id FROM journal_entries "
            "WHERE path = ?)",
            "DELETE FROM journal_entries WHERE path = ?",
            "DELETE FROM journal_files WHERE path = ?",
        ):
            self.connection.executemany(statement, each)

    def _add(self, found: list[files.Found]) -> None:
        (last,) = self.connection.execute("SELECT max(id) FROM journal_entries").fetchone()
        entries = [(one.path, entry) for one in found for entry in one.parsed.entries]
        numbered = list(enumerate(entries, (last or 0) + 1))
        self.connection.executemany(
            "INSERT INTO journal_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (id_, path, e.line, e.kind, e.key, e.date, e.topic, e.state, e.title, text_of(e))
                for id_, (path, e) in numbered
            ),
        )
        self.connection.executemany(
            "INSERT INTO journal_text (rowid, title, body) VALUES (?, ?, ?)",
            ((id_, e.title, e.body) for id_, (_, e) in numbered),
        )
        now = time.time_ns()
        self.connection.executemany(
            "INSERT INTO journal_files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((f.path, *f.stamp, f.sha256, now, told(f.parsed.problems)) for f in found),
        )

    def _sign(self) -> None:
        """What others made of the files that are not yet parsed again is known to be old."""
        if self._signed():
            return
        self.connection.execute("UPDATE journal_files SET mtime_ns = 0, inode = 0")
        self.connection.execute(
            "INSERT OR REPLACE INTO journal_meta VALUES ('made_by', ?)", (self._made_by,)
        )

    def _signed(self) -> bool:
        found = self.connection.execute("SELECT value FROM journal_meta WHERE name = 'made_by'")
        return bool(found.fetchone() == (self._made_by,))

    def _doubled(self, among: list[str] | None = None) -> Iterator[tuple[Problem, set[str]]]:
        """Keys that two entries have: a problem of the later one, and the files of both. `among`
        keeps to the keys in these files."""
        kinds = ", ".join(f"'{kind}'" for kind in UNIQUE)
        part = ", ".join("?" * len(among or ()))
        only = f"AND (kind, key) IN (SELECT kind, key FROM journal_entries WHERE path IN ({part}))"
        twice = self.connection.execute(
            f"SELECT kind, key FROM journal_entries WHERE kind IN ({kinds}) "
            f"{'' if among is None else only} GROUP BY kind, key HAVING count(*) > 1",
            among or (),
        ).fetchall()
        for kind, key in twice:
            rows = self.connection.execute(
                "SELECT path, line FROM journal_entries WHERE kind = ? AND key = ? "
                "ORDER BY path, line",
                (kind, key),
            ).fetchall()
            first, line = rows[0]
            noun = {"card": "two cards", "reading": "two reading items"}[kind]
            for path, later in rows[1:]:
                said = f"{noun} with one id, {key}; the other is {first}:{line}"
                yield Problem(path, later, said), {first, path}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _go_to_memory(self) -> None:
        """A copy of the index that can be written to; the book's other tables show behind it."""
        self.connection.close()
        self.connection = behind(self._path)
        rows = self.connection.execute(
            "SELECT name, type, sql FROM book.sqlite_master WHERE name GLOB 'journal_*' "
            "AND NOT name GLOB 'journal_text_*' AND sql IS NOT NULL ORDER BY type DESC"
        ).fetchall()
        for name, kind, made in rows:
            self.connection.execute(made)
            if kind == "table" and name != "journal_text":
                self.connection.execute(f"INSERT INTO main.{name} SELECT * FROM book.{name}")
        self.connection.execute(
            "INSERT INTO main.journal_text (rowid, title, body) "
            "SELECT rowid, title, body FROM book.journal_text"
        )
        self._writable = True
