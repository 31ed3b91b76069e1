"""Ids as people write them, H-3 or h3, and the rows they name."""

import re
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from warpbook.book.tables import BY_LETTER, Base
from warpbook.core.errors import BadInput, NotFound

Row = TypeVar("Row", bound=Base)

WORDS = {
    "C": "campaign",
    "H": "hypothesis",
    "E": "experiment",
    "P": "prediction",
    "R": "run",
    "F": "finding",
    "M": "measurement",
    "W": "worker",
}


def name_of(row: Any) -> str:
    """`H-3`; for tables without a letter their key."""
    letter = getattr(type(row), "letter", None)
    return f"{letter}-{row.id}" if letter else str(getattr(row, "name", ""))


def number_of(name: str | int, letter: str) -> int:
    """The number in `H-3`, `h3` or `3`."""
    word = WORDS[letter]
    matched = re.fullmatch(rf"(?:{letter}-?)?([0-9]{{1,15}})", str(name).strip(), re.IGNORECASE)
    if not matched:
        raise BadInput(f"{name!r} is no {word}: write {letter}-3")
    return int(matched[1])


def split_name(name: str) -> tuple[str, int]:
    """The letter and the number of `F-7`, for verbs that take several kinds."""
    letter = name.strip()[:1].upper()
    if letter not in WORDS:
        raise BadInput(f"{name!r} is no id: write H-3, E-31, R-57 or F-7")
    return letter, number_of(name, letter)


def get(session: Session, table: type[Row], name: str | int) -> Row:
    letter: str = table.letter  # type: ignore[attr-defined]
    number = number_of(name, letter)
    row = session.get(table, number)
    if row is None:
        raise NotFound(f"there is no {WORDS[letter]} {letter}-{number} in this book")
    return row


def get_any(session: Session, name: str) -> Any:
    letter, number = split_name(name)
    return get(session, BY_LETTER[letter], number)
