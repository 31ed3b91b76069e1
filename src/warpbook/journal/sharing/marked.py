"""The one file that `export log` writes: texts of the journal between comment lines.

People can read it, and `import log` takes it back to the letter: a line of a text that looks like
one of these comments is escaped. Pure: knows nothing of what the texts are.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

VERSION = 1
FIRST = f"---\nwarpbook-log: {VERSION}\n"
OTHER = re.compile(r"---\nwarpbook-log: (.*)\n")
DAY, READING, CARDS = "day", "reading", "cards"
BEGIN = re.compile(r"<!-- warpbook:(day|reading|cards) (\S+)(?: (\S+))? -->")
END = "<!-- warpbook:end -->"
END_WITHOUT = "<!-- warpbook:end, no line end -->"
LOOKS_LIKE_ONE = re.compile(r"<!-- \\*warpbook:")
ESCAPED = re.compile(r"<!-- \\+warpbook:")
HEAD = "head"
PLAIN = re.compile(r"[A-Za-z0-9_.~-]+")  # needs no quoting


@dataclass(frozen=True)
class Part:
    """A text, or a piece of one: of a day its date, else the name of its file and the id of what
    the piece is, `head` for what stands above all others."""

    kind: str
    name: str
    piece: str = ""
    text: str = ""
    line: int = 0  # where its text begins in the file it was read from


@dataclass(frozen=True)
class Outside:
    """Lines that are in no part: the headings that were written for people, or somebody's own.
    `lost`: of a text whose end is missing."""

    line: int
    text: str
    problem: str = ""
    lost: bool = False


def is_marked(text: str) -> bool:
    return text.startswith(FIRST)


def written(about: Iterable[str], titled: Iterable[tuple[str, Part]]) -> str:
    """`about` are lines of front matter; each part comes with a heading, or none."""
    made = [FIRST + "".join(f"{line}\n" for line in about) + "---\n"]
    for title, part in titled:
        if title:
            made.append(f"\n{title}\n\n")
        piece = f" {quoted(part.piece)}" if part.piece else ""
        made.append(f"<!-- warpbook:{part.kind} {quoted(part.name)}{piece} -->\n")
        whole = not part.text or part.text.endswith("\n")
        text = part.text if whole else f"{part.text}\n"
        if "warpbook:" in text:
            text = "\n".join(map(escaped, text.split("\n")))
        made += [text, f"{END if whole else END_WITHOUT}\n"]
    return "".join(made)


def quoted(name: str) -> str:
    return name if PLAIN.fullmatch(name) else quote(name, safe="")


def escaped(row: str) -> str:
    return row.replace("<!-- ", "<!-- \\", 1) if LOOKS_LIKE_ONE.match(row) else row


def unescaped(row: str) -> str:
    return row.replace("<!-- \\", "<!-- ", 1) if ESCAPED.match(row) else row


def read(text: str) -> tuple[list[Part], list[Outside]]:
    rows = text.split("\n")
    first = next((at for at in range(1, len(rows)) if rows[at] == "---"), 0) + 1
    parts: list[Part] = []
    outside: list[Outside] = []
    at, lost = first, False
    while at < len(rows):
        begin = BEGIN.fullmatch(rows[at])
        end = ending(rows, at + 1) if begin else None
        if begin and end is not None:
            parts.append(part(begin, rows[at + 1 : end], rows[end], at + 2))
            at, lost = end + 1, False
            continue
        lost = lost or begin is not None
        if rows[at].strip():
            problem = "begins a text that has no end: the file was cut short" if begin else ""
            outside.append(Outside(at + 1, rows[at], problem, lost))
        at += 1
    return parts, outside


def ending(rows: list[str], start: int) -> int | None:
    for at in range(start, len(rows)):
        if rows[at] in (END, END_WITHOUT):
            return at
        if BEGIN.fullmatch(rows[at]):
            return None
    return None


def part(begin: "re.Match[str]", rows: list[str], end: str, line: int) -> Part:
    text = "\n".join(map(unescaped, rows))
    if end == END and rows:
        text += "\n"
    return Part(begin[1], unquote(begin[2]), unquote(begin[3] or ""), text, line)
