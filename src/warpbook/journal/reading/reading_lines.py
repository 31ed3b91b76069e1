"""Where the items of a reading list begin and end, line by line, and which of their lines say what.

Knows a heading, a comment and a field when it sees one; not what any of them means.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

HEADING = re.compile(r"##(?:[ \t]+(.*))?")
# What may keep a later `## ` from being a heading: a fence, or HTML that goes on.
HIDING = re.compile(r"```|~~~|^ {0,3}<(?!!--(?:(?!-->)[^\n])*-->[ \t]*$)", re.MULTILINE)
COMMENT = re.compile(r"<!--\s*reading:(\S*)\s*-->\s*")
FIELD = re.compile(r"[-*+][ \t]+([a-z]+(?: [a-z]+)?):(?:[ \t]+(.*))?")
# By what they are called in the file, in the order in which they are written.
FIELDS = {
    "address": "address",
    "kind": "kind",
    "tier": "tier",
    "state": "state",
    "added": "added",
    "published": "published",
    "started": "started",
    "done": "done",
    "revisit": "revisit",
    "up to": "up_to",
    "feed": "feed",
    "cut": "cut",
}


@dataclass
class Section:
    """The lines of one item, as indexes into those of the text: its heading, the comment with its
    id, its fields, lines among them that are none, those that repeat one, and its notes."""

    start: int
    end: int
    comment: int | None = None
    fields: dict[str, int] = field(default_factory=dict)
    others: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    notes: int = 0


def starts(lines: list[str]) -> list[int]:
    """The lines at which items begin. Whether one does depends only on the text since the heading
    before it, and that is parsed as Markdown only where a fence or HTML may hide the next."""
    begin = after_front_matter(lines)
    candidates = [n for n in range(begin, len(lines)) if HEADING.fullmatch(lines[n])]
    found: list[int] = []
    at = 0
    while at < len(candidates):
        if HIDING.search("\n".join(lines[begin : candidates[at]])):
            at = first_seen(lines, begin, candidates, at)
            if at == len(candidates):
                break
        begin = candidates[at]
        found.append(begin)
        at += 1
    return found


def first_seen(lines: list[str], begin: int, candidates: list[int], at: int) -> int:
    """The first of the candidates, from number `at` on, that is a heading in the text that starts
    at `begin`. Looks ahead ever farther, so that a fence over all the rest stays cheap."""
    reach = 1
    while True:
        last = min(at + reach, len(candidates)) - 1
        hidden = hidden_lines(lines[begin : candidates[last] + 1])
        for number in range(at, last + 1):
            if candidates[number] - begin not in hidden:
                return number
        if last == len(candidates) - 1:
            return len(candidates)
        reach *= 2


def hidden_lines(lines: list[str]) -> set[int]:
    """Those within a fence, or HTML: what looks like a heading in them is none."""
    text = "\n".join(lines)
    if not HIDING.search(text):
        return set()
    from warpbook.journal.texts import blocks

    seen = {line.number for line in blocks.lines(text, 0) if line.kind == "heading"}
    return {
        number
        for number, line in enumerate(lines)
        if number not in seen and line.lstrip(" ").startswith("##")
    }


def closed(lines: list[str]) -> bool:
    """Whether a heading after them, and a blank line, would be seen."""
    return len(lines) + 1 not in hidden_lines([*lines, "", "## next"])


def after_front_matter(lines: list[str]) -> int:
    if lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return number + 1
    return 0


def sections(lines: list[str]) -> list[Section]:
    return [section(lines, *ends) for ends in pairwise([*starts(lines), len(lines)])]


def section(lines: list[str], start: int, end: int) -> Section:
    """Fields are the first lines below the heading and the comment, up to a blank line."""
    found = Section(start, end)
    number = start + 1
    while number < end:
        line = lines[number]
        named = FIELD.fullmatch(line)
        if named and named[1] in found.fields:
            found.repeated.append(number)
        elif named and named[1] in FIELDS:
            found.fields[named[1]] = number
        elif named and found.fields:
            found.others.append(number)
        elif found.comment is None and COMMENT.fullmatch(line):
            found.comment = number
        elif line.strip() or found.fields:
            break
        number += 1
    found.notes = number
    return found


def without_blank_ends(lines: list[str]) -> list[str]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []
