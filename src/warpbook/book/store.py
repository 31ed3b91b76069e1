"""book.db: opening it, reading from it, and changing it together with the log.

All changes go through `Write`, which adds or alters rows and appends the event in one transaction.
Knows the tables and nothing of what their rows mean.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event, inspect
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from warpbook.book import events, sqlite
from warpbook.book.names import name_of
from warpbook.book.revision import HEAD
from warpbook.book.sqlite import connect
from warpbook.book.tables import Base
from warpbook.core.errors import BadInput

Row = TypeVar("Row", bound=Base)


class Write:
    """One transaction's changes, made by one author."""

    def __init__(self, session: Session, author: str) -> None:
        self.session = session
        self.author = author

    def add(self, row: Row, kind: str, text: str, **more: Any) -> Row:
        """Insert `row` and tell of it. `{name}` in `text` becomes its id, such as H-3."""
        if hasattr(row, "uid") and row.uid is None:
            row.uid = uuid.uuid4().hex
        self.session.add(row)
        self.session.flush()
        name = name_of(row)
        change = {"table": row.__tablename__, "id": key_of(row), "set": given(row)}
        self.event(kind, name, text.replace("{name}", name), **change, **more)
        return row

    def set(self, row: Base, kind: str, text: str, /, **values: Any) -> None:
        """Alter columns of `row` and tell of it. Derived columns are simply assigned instead."""
        for column, value in values.items():
            setattr(row, column, value)
        self.session.flush()
        more = {"table": row.__tablename__, "id": key_of(row), "set": values}
        self.event(kind, name_of(row), text, **more)

    def event(self, kind: str, subject: str, text: str, /, **data: Any) -> int:
        return events.append(self.session, self.author, kind, subject, text, data)


def given(row: Base) -> dict[str, Any]:
    """The columns of a row that are not derived, which events account for."""
    columns = inspect(type(row)).columns
    return {c.key: getattr(row, c.key) for c in columns if not c.info.get("derived")}


def key_of(row: Base) -> Any:
    (key,) = inspect(type(row)).primary_key
    return getattr(row, str(key.key))


class Store:
    """Opens connections as they are asked for, so any thread may use it."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._reading = engine
        self._writing = engine.execution_options(immediate=True)

    @classmethod
    def open(cls, path: Path) -> "Store":
        if not path.is_file():
            raise BadInput(
                f"{path}: no such file; unpack a backup of the book, or begin anew: remove "
                f"warpbook.toml there, then warpbook init {path.parent}"
            )
        store = cls(path, make_engine(path))
        with translated(path):
            found = revision(store._reading)
            if found != HEAD:
                from warpbook.book.migrate import upgrade

                upgrade(path, found)
        return store

    @contextmanager
    def read(self) -> Iterator[Session]:
        with translated(self.path), Session(self._reading) as session:
            yield session

    @contextmanager
    def write(self, author: str) -> Iterator[Write]:
        """All of it or nothing. Holds the file's write lock from the start, so that what it reads
        stays true until it commits."""
        writing = Session(self._writing, expire_on_commit=False)
        with translated(self.path), writing as session, session.begin():
            yield Write(session, author)

    def close(self) -> None:
        self._reading.dispose()


def make_engine(path: Path) -> Engine:
    engine = create_engine("sqlite://", creator=lambda: connect(path), poolclass=NullPool)

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        known = connection.exec_driver_sql(
            "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        ).scalar()
        if not known:
            return None
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        return None if found is None else str(found)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """As `sqlite.translated`, of SQLAlchemy's errors too."""
    try:
        with sqlite.translated(path):
            yield
    except DatabaseError as error:
        known = sqlite.explained(path, str(error.orig))
        if known is None:
            raise
        raise known from error
