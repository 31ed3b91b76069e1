"""What is in a file that `export log` wrote, before anything of it is taken back."""

from dataclasses import dataclass, field
from datetime import date

from warpbook.core.errors import BadInput
from warpbook.journal.entry import Problem
from warpbook.journal.importing.ledger import entry_hash
from warpbook.journal.sharing import marked
from warpbook.journal.sharing.marked import DAY, Part


@dataclass
class Contents:
    """What is in such a file; `left` are lines and why they stay out."""

    name: str
    parts: list[Part] = field(default_factory=list)
    left: list[tuple[int, str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read(name: str, text: str, today: date) -> Contents:
    made = Contents(name)
    parts, outside = marked.read(text)
    for one in outside:
        if one.problem:
            made.problems.append(Problem(name, one.line, one.problem))
        if one.text.startswith("#") and not one.lost:
            continue
        why = "of a text that has no end" if one.lost else "outside of every text"
        made.left.append((one.line, one.text, one.problem or why))
    for part in parts:
        wrong = unusable(part, today)
        if wrong:
            made.problems.append(Problem(name, part.line, wrong))
            rows = part.text.split("\n")
            made.left += [(part.line + at, row, wrong) for at, row in enumerate(rows) if row]
        else:
            made.parts.append(part)
    return made


def unusable(part: Part, today: date) -> str:
    if part.kind == DAY:
        from warpbook.journal.days import days

        try:
            on = days.date_of(part.name)
        except BadInput as error:
            return str(error)
        return f"{on} is in the future" if on > today else ""
    if not part.name or "/" in part.name or part.name.startswith(".") or "\0" in part.name:
        return f"{part.name!r} is no name of a file"
    return ""


def part_hash(part: Part) -> str:
    return entry_hash(f"part {part.kind}", part.name, part.piece, part.text)
