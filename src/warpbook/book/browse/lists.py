"""What the lists have in common: texts cut in SQL, a search in columns, an order, a page."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, func, or_

from warpbook.book.collection import contains
from warpbook.core.errors import BadInput

LONGEST = 600
LONGEST_SEARCH = 200


def cut(column: Any, most: int = LONGEST) -> Any:
    return func.substr(column, 1, most)


def searched(search: str) -> str:
    """What is looked for, of what was typed."""
    return search.strip()[:LONGEST_SEARCH]


def holds(search: str, *columns: Any) -> ColumnElement[bool]:
    """Whether one of the columns has this text in it."""
    like = contains(search)
    return or_(*(column.like(like, escape="\\") for column in columns))


def order(sorts: Mapping[str, Any], sort: str, last: Any) -> tuple[Any, ...]:
    """`sort` is one of `sorts`, with a dash before it for the largest first. What has no value
    comes last, whichever way; among equals the largest `last` is first."""
    column = sorts.get(sort.removeprefix("-"))
    if column is None:
        raise BadInput(f"no order {sort[:80]!r}: {', '.join(sorts)}, or with a dash before it")
    ordered = column.desc() if sort.startswith("-") else column.asc()
    return column.is_(None), ordered, last.desc()


def paged(query: Select[Any], page: int, rows: int) -> Select[Any]:
    return query.limit(rows).offset((max(page, 1) - 1) * rows)
