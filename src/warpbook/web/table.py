"""Tables that sort and page by their address. The rows come sorted and cut from SQL.

Knows nothing of what the rows are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpbook.web.markup import Markup, attributes, h, join, query_of

PAGE_ROWS = 50


@dataclass(frozen=True)
class Column:
    """`sort` is the word for this column in `?sort=`, empty where it cannot be sorted by."""

    head: object
    sort: str = ""
    number: bool = False
    wide: bool = False


def page_of(query: Mapping[str, str]) -> int:
    """From 1; anything that is no page is the first."""
    asked = query.get("page", "")
    return max(int(asked), 1) if asked.isdecimal() and len(asked) < 8 else 1


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Markup]],
    query: Mapping[str, str] | None = None,
    total: int | None = None,
    caption: str = "",
    page_rows: int = PAGE_ROWS,
    default: str = "",
) -> Markup:
    """`rows` are the cells of one page; `total` counts all rows, None where they are all here.
    `default` is the order when nobody asked: `-created` is the newest first."""
    asked = dict(query or {})
    heads = join(head(column, asked, default) for column in columns)
    body = join(
        h("<tr>{}</tr>", join(one(column, c) for column, c in zip(columns, row, strict=True)))
        for row in rows
    )
    return h(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table>{}<thead><tr>{}</tr>'
        "</thead><tbody>{}</tbody></table></div>{}",
        caption or "table",
        h('<caption class="hidden">{}</caption>', caption) if caption else "",
        heads,
        body,
        "" if total is None else pages(asked, total, page_rows),
    )


def head(column: Column, query: dict[str, str], default: str) -> Markup:
    order = query.get("sort", default)
    kind = "number" if column.number else None
    if not column.sort:
        return h("<th{}>{}</th>", attributes(class_=kind, scope="col"), column.head)
    down = order == f"-{column.sort}"
    state = "descending" if down else "ascending" if order == column.sort else None
    other = column.sort if down else f"-{column.sort}"
    mark = {"descending": "▾", "ascending": "▴", None: ""}[state]
    return h(
        '<th{}>{} <a data-query class="sort" href="{}" aria-label="sort by {}">{}</a></th>',
        attributes(class_=kind, scope="col", aria_sort=state),
        column.head,
        query_of(query, sort=other),
        column.sort,
        mark or "▿",
    )


def one(column: Column, value: Markup) -> Markup:
    kind = "number" if column.number else "wide" if column.wide else None
    return h("<td{}>{}</td>", attributes(class_=kind), value)


def pages(query: dict[str, str], total: int, page_rows: int) -> Markup:
    """`51–100 of 1,234`, with the pages before and after."""
    page = page_of(query)
    first, last = (page - 1) * page_rows + 1, min(page * page_rows, total)
    shown = f"{first:,}–{last:,} of {total:,}" if first <= last else f"none of {total:,}"
    before = turn(query, page - 1, "‹ before") if page > 1 else ""
    after = turn(query, page + 1, "next ›") if last < total else ""
    around = before, shown, after
    return h(
        '<nav class="pages" aria-label="pages of the table">{}<span>{}</span>{}</nav>', *around
    )


def turn(query: dict[str, str], page: int, label: str) -> Markup:
    return h('<a data-query href="{}">{}</a>', query_of(query, page=page), label)
