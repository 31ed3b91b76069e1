"""A page of a list: one more row than asked for tells whether there is another page."""

from collections.abc import Sequence
from typing import Any


def paged(rows: Sequence[Any], limit: int, offset: int) -> dict[str, Any]:
    """`rows` are up to `limit` + 1."""
    more = len(rows) > limit
    return {"items": [*rows[:limit]], "next_offset": offset + limit if more else None}
