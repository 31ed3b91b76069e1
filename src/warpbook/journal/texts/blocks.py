"""The lines of a Markdown text and what each of them is, as a Markdown parser sees its blocks.

Knows nothing of what is inside a line: emphasis, links and references are not looked at.
"""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warpbook.journal.texts.plain_blocks import Kind, plain_kinds

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Line:
    """`kind` is text, heading, fence, comment, blank or item; an item's later lines are text.
    `level` is a heading's, or how deep an item is in lists, both from 1; else 0."""

    number: int
    text: str
    kind: str
    level: int = 0


@functools.lru_cache(maxsize=4)
def _lines(text: str, first_line: int) -> tuple[Line, ...]:
    rows = text.split("\n")
    kinds = plain_kinds(rows) or parsed_kinds(text, rows)
    return tuple(
        Line(number, row, *kind)
        for number, (row, kind) in enumerate(zip(rows, kinds, strict=True), first_line)
    )


def parsed_kinds(text: str, rows: list[str]) -> list[Kind]:
    kinds: list[Kind] = [("text", 0) if row.strip() else ("blank", 0) for row in rows]
    depth = 0
    for token in tokens(text):
        depth += token.nesting if token.type.endswith(("_list_open", "_list_close")) else 0
        if token.map:
            mark(kinds, token, rows, depth)
    return kinds


def lines(text: str, first_line: int = 1) -> list[Line]:
    """Several parsers ask for the lines of one file in turn: the last few answers are kept."""
    return list(_lines(text, first_line))


def mark(kinds: list[Kind], token: "Token", rows: list[str], depth: int) -> None:
    start, end = token.map or (0, 0)
    if token.type in ("fence", "code_block"):
        while token.type == "code_block" and end > start and not rows[end - 1].strip():
            end -= 1
        kinds[start:end] = [("fence", 0)] * (end - start)
    elif token.type == "heading_open" and token.level == 0:
        last = end - 1 if end - start > 1 else end  # the line under a heading has no words
        kinds[start:last] = [("heading", int(token.tag[1]))] * (last - start)
        kinds[last:end] = [("blank", 0)] * (end - last)
    elif token.type == "html_block" and token.content.lstrip().startswith("<!--"):
        kinds[start:end] = [("comment", 0)] * (end - start)
    elif token.type == "list_item_open":
        kinds[start] = ("item", depth)


def tokens(text: str) -> "list[Token]":
    return parser().parse(text)


@functools.cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark")
    rules = made.core.ruler
    rules.disable([rule for rule in rules.get_active_rules() if rule not in ("normalize", "block")])
    return made
