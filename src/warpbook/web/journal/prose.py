"""The text of days and drafts as markup: Markdown with live figures, comments left out."""

import re
import sqlite3
from collections.abc import Callable
from itertools import groupby

from warpbook.journal.days import figures
from warpbook.journal.days.figures import Figure
from warpbook.journal.texts import blocks
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, h
from warpbook.web.show import ref

LONGEST = 20_000  # what takes the parser longest then takes a second, in a thread of its own
MOST_FIGURES = 100  # different ones that are worked out for a text
HARD_BREAK = "  "
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def prose(text: str, figure_of: Callable[[str], Figure]) -> Markup:
    return markdown(laid_out(text), LONGEST, figure_of)


def live(connection: sqlite3.Connection) -> Callable[[str], Figure]:
    """Each figure once; past the most, references lead to their page and say no more."""
    known: dict[str, Figure] = {}

    def figure_of(reference: str) -> Figure:
        if reference not in known:
            if len(known) >= MOST_FIGURES:
                return Figure(reference, "", True, figures.address(reference))
            known[reference] = figures.figure(connection, reference)
        return known[reference]

    return figure_of


def laid_out(text: str) -> str:
    """Without comments that stand in lines of their own, such as the ids of cards; and with an
    answer in a line of its own below its question."""
    parts: list[str] = []
    for is_comment, lines in groupby(blocks.lines(text), lambda line: line.kind == "comment"):
        if is_comment:
            parts.append(COMMENT.sub("", "\n".join(line.text for line in lines)))
            continue
        for line in lines:
            if line.kind == "text" and line.text.startswith("A:") and parts and parts[-1].strip():
                parts[-1] += HARD_BREAK
            parts.append(line.text)
    return "\n".join(parts)


def cite(reference: str, label: object = None) -> Markup:
    """A link to what is referred to, by its short name or a label."""
    kind, _, what = reference.rpartition(":")
    if kind not in figures.BY_KIND:
        return ref(what, label)
    return h('<a class="ref" href="{}">{}</a>', figures.address(reference), label or what)
