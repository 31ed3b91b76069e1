"""Clozes: words of a paragraph that are hidden and asked for, `{{c1::warp}}`.

`{{c1::warp :: a group}}` has a hint; the spaces set it apart from `cuda::barrier`. Those of one
number are hidden together, and one may stand inside another. Knows nothing of files.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

TOKEN = re.compile(r"\{\{c([1-9]\d{0,2})::|\}\}")
HINT = " :: "
DEEPEST = 8  # one inside another; more is text


@dataclass
class Cloze:
    number: int  # 0 for the whole text
    opening: str
    parts: list["str | Cloze"] = field(default_factory=list)
    hint: str = ""


@lru_cache(maxsize=1024)
def parse(text: str) -> Cloze:
    """A `}}` that closes nothing is text, and so is an opening that nothing closes."""
    stack = [Cloze(0, "")]
    at = 0
    for token in TOKEN.finditer(text):
        stack[-1].parts.append(text[at : token.start()])
        at = token.end()
        if token[1] and len(stack) > DEEPEST:
            stack[-1].parts.append(token[0])
        elif token[1]:
            stack.append(Cloze(int(token[1]), token[0]))
        elif len(stack) == 1:
            stack[-1].parts.append(token[0])
        else:
            closed = stack.pop()
            take_hint(closed)
            stack[-1].parts.append(closed)
    stack[-1].parts.append(text[at:])
    while len(stack) > 1:
        left_open = stack.pop()
        stack[-1].parts += [left_open.opening, *left_open.parts]
    return stack[0]


def take_hint(cloze: Cloze) -> None:
    last = cloze.parts[-1]
    if isinstance(last, str) and HINT in last:
        cloze.parts[-1], _, hint = last.rpartition(HINT)
        cloze.hint = hint.strip()


def rendered(cloze: Cloze, show: Callable[[Cloze], str]) -> str:
    """Its text, with what `show` makes of each cloze right inside it."""
    return "".join(part if isinstance(part, str) else show(part) for part in cloze.parts)


def numbers(text: str) -> list[int]:
    found: set[int] = set()

    def note(cloze: Cloze) -> str:
        found.add(cloze.number)
        return rendered(cloze, note)

    rendered(parse(text), note)
    return sorted(found)


def shown(text: str) -> str:
    """As it reads with nothing hidden."""
    return revealed(parse(text))


def revealed(cloze: Cloze) -> str:
    return rendered(cloze, revealed)


def hidden(text: str, number: int) -> str:
    """As it is asked for `number`."""

    def show(cloze: Cloze) -> str:
        if cloze.number == number:
            return f"[{cloze.hint or '...'}]"
        return rendered(cloze, show)

    return rendered(parse(text), show)


def answer(text: str, number: int) -> str:
    """The words that `number` hides."""
    found: list[str] = []

    def note(cloze: Cloze) -> str:
        if cloze.number == number:
            found.append(revealed(cloze).strip())
            return ""
        return rendered(cloze, note)

    rendered(parse(text), note)
    return ", ".join(dict.fromkeys(found))
