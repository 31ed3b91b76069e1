"""Bringing a book's file to the tables of this version, one released schema after another."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from warpbook.book.revision import HEAD
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
    run(path, keep=found)


def run(path: Path, keep: str | None = None) -> None:
    """All revisions that the file lacks, in one transaction. Of a file of the revision `keep`, a
    copy as it was stays beside it. Of several processes that open an older book at once, the first
    does this; the others wait for it and find nothing to do."""
    from warpbook.book.store import make_engine

    engine = make_engine(path)
    with (
        engine.connect().execution_options(immediate=True) as connection,
        connection.begin(),
    ):
        if keep is not None:
            if MigrationContext.configure(connection).get_current_revision() != keep:
                return
            copy(path, path.with_name(f"{path.name}.{keep}"))
        command.upgrade(config(connection), "head")
    engine.dispose()


def copy(path: Path, target: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as made:
        source.backup(made)
    shutil.copymode(path, target)


def config(connection: Connection | None = None) -> Config:
    made: Any = Config()
    made.set_main_option("script_location", str(MIGRATIONS))
    made.attributes["connection"] = connection
    return made  # type: ignore[no-any-return]


def revisions() -> set[str]:
    return {script.revision for script in ScriptDirectory.from_config(config()).walk_revisions()}
