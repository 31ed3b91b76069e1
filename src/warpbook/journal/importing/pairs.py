"""Questions with their answers in a log's lines, to be proposed as cards.

What a pair is, `cards` says. A question without an answer stays where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from warpbook.journal.cards import cards
from warpbook.journal.importing.lines import Line, joined


@dataclass
class Pair:
    line: int
    question: str
    answer: str
    topic: str = ""
    lines: list[int] = field(default_factory=list)


def find(lines: Sequence[Line]) -> list[Pair]:
    made = []
    for found in cards.find(joined(lines)).found:
        if not found.answer or found.mark:
            continue
        inside = lines[found.first - 1 : found.last]
        numbers = [line.number for line in inside if not line.blank]
        made.append(Pair(inside[0].number, found.question, found.answer, lines=numbers))
    return made


def without(lines: Sequence[Line], taken: set[int]) -> list[Line]:
    """The lines that stay, with no more blank ones between them than there were."""
    made: list[Line] = []
    gap = False
    for line in lines:
        if line.number in taken:
            gap = True
            continue
        if gap and line.blank and (not made or made[-1].blank):
            continue
        gap = gap and line.blank
        made.append(line)
    return made
