"""Bringing a book's file to the tables of this version, one released schema after another."""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from warpbook.book.tables import HEAD
from warpbook.core.errors import BadInput, Missing

MIGRATIONS = Path(__file__).resolve().parent / "migrations"


def create(path: Path) -> None:
    """A new, empty book.db; built beside its name and moved there, so it is whole or absent."""
    building = path.with_name(f".{path.name}.new")
    for leftover in path.parent.glob(f".{path.name}.new*"):
        leftover.unlink()
    sqlite3.connect(building).close()
    run(building)
    building.rename(path)


def upgrade(path: Path, found: str | None) -> None:
    """Keeps a copy of the file as it was beside it."""
    if found is None:
        raise BadInput(f"{path}: not a book's database")
    if found not in revisions():
        raise Missing(
            f"{path}: this book was written by a newer Warpbook (its tables are {found}, these "
            f"are {HEAD}); update Warpbook, nothing was changed"
        )
    copy = path.with_name(f"{path.name}.{found}")
    with sqlite3.connect(path) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    shutil.copymode(path, copy)
    run(path)


def run(path: Path) -> None:
    from warpbook.book.store import make_engine

    engine = make_engine(path)
    with engine.connect() as connection, connection.begin():
        command.upgrade(config(connection), "head")
    engine.dispose()


def config(connection: Connection | None = None) -> Config:
    made: Any = Config()
    made.set_main_option("script_location", str(MIGRATIONS))
    made.attributes["connection"] = connection
    return made  # type: ignore[no-any-return]


def revisions() -> set[str]:
    return {script.revision for script in ScriptDirectory.from_config(config()).walk_revisions()}
