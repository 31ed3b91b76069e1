"""Markdown taken away: what people wrote as the plain text of a post, with figures filled in.

Code becomes plain lines, a link its words and its address, a box its mark. Knows nothing of how
long a post may be.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warpbook.journal.days.figures import Figure, references
from warpbook.journal.days.plans import STATES

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BOXES = {"open": "☐", "done": "☑", "dropped": "☒"}
BOX = re.compile(r"\[([ xX~-])\] +")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
JOINERS = "\u200c\u200d"  # what holds an emoji, or a word of some scripts, together
FigureOf = Callable[[str], Figure]


def plain(text: str, figure_of: FigureOf | None = None) -> str:
    """Paragraphs are set apart by an empty line; items, rows and lines of code by a line end."""
    walk = Walk(figure_of)
    walk.over(parser().parse(visible(text)))
    return "\n\n".join(filter(None, (tidy(part) for part in walk.parts)))


def tidy(part: Sequence[str]) -> str:
    rows = (" ".join(row.split()) for line in part for row in line.split("\n"))
    return "\n".join(row for row in rows if row)


def visible(text: str) -> str:
    """Without what drives a terminal or cannot be seen."""
    lines = "\n".join(text.replace("\t", "    ").splitlines())
    return "".join(c for c in lines if c in "\n" + JOINERS or unicodedata.category(c) not in UNSEEN)


@functools.cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


@dataclass
class Walk:
    """Over the blocks of a text. A list or a table is one part, however deep, with its lines."""

    figure_of: FigureOf | None
    parts: list[list[str]] = field(default_factory=list)
    counts: list[int | None] = field(default_factory=list)  # of the lists around; None has bullets
    marker: str = ""  # of the item that begins here
    row: list[str] | None = None
    within: int = 0

    def over(self, tokens: "Iterable[Token]") -> None:
        for token in tokens:
            if token.type in ("bullet_list_open", "ordered_list_open", "table_open"):
                self.begin(token)
            elif token.type in ("bullet_list_close", "ordered_list_close", "table_close"):
                self.within -= 1
                if token.type != "table_close":
                    self.counts.pop()
            elif token.type == "list_item_open":
                self.item()
            elif token.type == "tr_open":
                self.row = []
            elif token.type == "tr_close":
                self.add(" | ".join(self.row or []))
                self.row = None
            elif token.type == "inline":
                self.said(token)
            elif token.type in ("fence", "code_block"):
                self.add(token.content.rstrip("\n"))
            elif token.type == "html_block":
                self.add(COMMENT.sub("", token.content))

    def begin(self, token: "Token") -> None:
        if not self.within:
            self.parts.append([])
        self.within += 1
        if token.type != "table_open":
            number = int(token.attrs.get("start", 1)) if token.type[0] == "o" else None
            self.counts.append(number)

    def item(self) -> None:
        number = self.counts[-1]
        self.marker = "- " if number is None else f"{number}. "
        if number is not None:
            self.counts[-1] = number + 1

    def said(self, token: "Token") -> None:
        words = "".join(inline(token.children or [], self.figure_of))
        if self.row is not None:
            self.row.append(" ".join(words.split()))
            return
        if self.marker and (box := BOX.match(words)):
            self.marker, words = f"{BOXES[STATES[box[1]]]} ", words[box.end() :]
        self.add(words)

    def add(self, line: str) -> None:
        if not line.strip():
            return
        if not self.within:
            self.parts.append([])
        self.parts[-1].append(self.marker + line)
        self.marker = ""


def inline(tokens: "Sequence[Token]", figure_of: FigureOf | None) -> Iterator[str]:
    """The words of a paragraph, piece by piece."""
    leads, label = "", ""
    for token in tokens:
        if token.type == "link_open":
            leads, label = str(token.attrs.get("href", "")), ""
        elif token.type == "link_close":
            yield linked(label, leads)
            leads = label = ""
        elif leads:
            label += bare(token)
        elif token.type == "text" and figure_of:
            yield filled(token.content, figure_of)
        else:
            yield bare(token)


def bare(token: "Token") -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " " if token.type == "softbreak" else "\n"
    if token.type == "image":
        return linked(token.content, str(token.attrs.get("src", "")))
    if token.type == "html_inline" and token.content.startswith("<!--"):
        return ""
    return token.content


def linked(label: str, address: str) -> str:
    """Both, where the address leads somewhere and is not what the label says already."""
    if not address.startswith(("http://", "https://")):
        return label
    if not label.strip() or label.startswith(("http://", "https://")):
        return address
    return f"{label} {address}"


def filled(text: str, figure_of: FigureOf) -> str:
    made, end = "", 0
    for start, stop, reference in references(text):
        made += text[end:start] + shown(text[start:stop], figure_of(reference))
        end = stop
    return made + text[end:]


def shown(written: str, found: Figure) -> str:
    """What a reader understands who has not got the book: a run's effect alone, others by name."""
    if not found.known or not found.text:
        return written
    kind, _, what = found.reference.rpartition(":")
    if kind in ("run", "exp"):
        return found.text
    if kind == "reading":
        return found.text.rpartition(", ")[0] or found.text
    return found.text if kind == "card" else f"{what} [{found.text}]"
