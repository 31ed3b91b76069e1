"""A file of reading or cards cut into its items, for an export.

Knows where they begin; what they are, `reading` and `cards` know.
"""

from collections.abc import Mapping
from itertools import pairwise

from warpbook.journal.sharing.marked import HEAD, READING, Part


def starts(kind: str, name: str, text: str) -> dict[int, str]:
    """Where items begin in a file of reading or cards, and their ids."""
    if kind == READING:
        from warpbook.journal.reading import reading

        found = reading.entries(f"{READING}/{name}.md", text).entries
        return {one.line: one.key for one in found}
    from warpbook.journal.cards import cards

    return {found.first: found.id for found in cards.find(text).found}


def pieces(kind: str, name: str, text: str, begins: Mapping[int, str]) -> list[Part]:
    """A file cut where its items begin; joined they are the file again."""
    rows = text.split("\n")
    lines = [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])
    bounds = [*sorted(begins), len(lines) + 1]
    made = [Part(kind, name, HEAD, "".join(lines[: bounds[0] - 1]))]
    made += [
        Part(kind, name, begins[begin], "".join(lines[begin - 1 : end - 1]))
        for begin, end in pairwise(bounds)
    ]
    return made
