"""What the book's collections share: reading and writing through their book.

Knows nothing of any one table.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, update
from sqlalchemy.orm import Session

from warpbook.book.store import Write
from warpbook.book.tables import Base
from warpbook.core.errors import BadInput

if TYPE_CHECKING:
    from warpbook.book.book import Book

Name = str | int


class Collection:
    def __init__(self, book: "Book") -> None:
        self.book = book

    def reading(self) -> AbstractContextManager[Session]:
        return self.book.reading()

    def writing(self) -> AbstractContextManager[Write]:
        return self.book.writing()


def check_finite(what: str, *values: float | None) -> None:
    for value in values:
        if value is not None and not math.isfinite(value):
            raise BadInput(f"{what} is {value}, which is no finite number")


def check_page(limit: int, offset: int) -> None:
    if limit < 1 or offset < 0:
        raise BadInput(f"limit {limit} and offset {offset}: give at least 1 and at least 0")


def contains(text: str) -> str:
    """A LIKE pattern for text anywhere, with backslash as its escape."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def set_many(session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Assign derived columns of many rows at once; each mapping has `row_id` and the columns. Rows
    that are loaded do not notice."""
    if not rows:
        return
    session.flush()
    columns: dict[str, Any] = {key: bindparam(key) for key in rows[0] if key != "row_id"}
    made = table.__table__
    where = made.c.id == bindparam("row_id")
    session.connection().execute(update(made).where(where).values(columns), rows)  # type: ignore[arg-type]
