"""The text of days and drafts as markup: Markdown with live figures, comments left out."""

import re
import sqlite3
from collections.abc import Callable
from itertools import groupby

from warpbook.journal import blocks, figures
from warpbook.journal.figures import Figure
from warpbook.web.markdown import markdown
from warpbook.web.markup import Markup, h
from warpbook.web.show import ref

LONGEST = 20_000  # what takes the parser longest then takes a second, in a thread of its own
MOST_FIGURES = 100  # different ones that are worked out for a text
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def prose(text: str, figure_of: Callable[[str], Figure]) -> Markup:
    return markdown(uncommented(text), LONGEST, figure_of)


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


def uncommented(text: str) -> str:
    """Without comments that stand in lines of their own, such as the ids of cards."""
    if "<!--" not in text:
        return text
    parts = []
    for is_comment, lines in groupby(blocks.lines(text), lambda line: line.kind == "comment"):
        piece = "\n".join(line.text for line in lines)
        parts.append(COMMENT.sub("", piece) if is_comment else piece)
    return "\n".join(parts)


def cite(reference: str, label: object = None) -> Markup:
    """A link to what is referred to, by its short name or a label."""
    kind, _, what = reference.rpartition(":")
    if kind not in figures.BY_KIND:
        return ref(what, label)
    return h('<a class="ref" href="{}">{}</a>', figures.address(reference), label or what)
