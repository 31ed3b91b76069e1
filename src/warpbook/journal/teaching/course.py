"""A course: what a ladder teaches, step by step, each with the cards that ask for it.

A course is `course.md` beside its problem, in a form so strict that a few lines read it: front
matter of plain `key: value`, a `## 1. Title` for each step, its prose, then its cards, each with
its id. Whatever is not so is an error with its line. Knows nothing of who is taught, nor how far.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.cards import cloze
from warpbook.journal.cards.cards import Card, Found, cards_of
from warpbook.kernels.library import BUILT_IN

FILE = "course.md"
HEADING = re.compile(r"##\s+(\d+)\.\s+(\S.*)")
COMMENT = re.compile(r"<!--\s*card:([a-z0-9_]+\.[a-z]?\d+)\s*-->")
FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True)
class Step:
    """`text` is its prose alone; `key` is what the record of lessons calls it."""

    number: int
    title: str
    text: str
    cards: tuple[Card, ...]
    key: str = ""

    @property
    def short(self) -> str:
        """Its first paragraph."""
        return self.text.partition("\n\n")[0]


@dataclass(frozen=True)
class Course:
    """`after` are the courses it builds on."""

    problem: str
    title: str
    about: str
    steps: tuple[Step, ...]
    after: tuple[str, ...] = ()

    def step(self, number: int) -> Step:
        if not 1 <= number <= len(self.steps):
            raise NotFound(f"{self.problem} has steps 1 to {len(self.steps)}, no {number}")
        return self.steps[number - 1]


@dataclass
class Reading:
    """What is known of a file so far, a line at a time."""

    problem: str
    path: Path
    values: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def wrong(self, line: int, what: str) -> None:
        self.errors.append(f"{self.path}:{line}: {what}")


def names(root: Path = BUILT_IN) -> list[str]:
    """The problems that have a course."""
    return sorted(path.parent.name for path in root.glob(f"*/{FILE}"))


def load(problem: str, root: Path = BUILT_IN) -> Course:
    """Read once in a process, until its file changes."""
    path = root / problem / FILE
    if problem not in names(root):
        known = ", ".join(names(root)) or "none"
        raise NotFound(f"there is no course on {problem!r}; there are: {known}")
    stat = path.stat()
    return loaded(problem, path, stat.st_mtime_ns, stat.st_size)


def all_courses(root: Path = BUILT_IN) -> list[Course]:
    """Each after those it builds on."""
    left = [load(name, root) for name in names(root)]
    found: list[Course] = []
    while left:
        done = {one.problem for one in found}
        ready = [one for one in left if done.issuperset(one.after)]
        if not ready:
            tied = ", ".join(one.problem for one in left)
            raise BadInput(f"courses that build on each other, or on one that is not there: {tied}")
        found += ready
        left = [one for one in left if one not in ready]
    return found


def find(card: str, root: Path = BUILT_IN) -> tuple[Course, Step, Card] | None:
    """Where a card of a course is taught. Its id begins with its problem, so that one file at most
    is read."""
    problem, dot, _ = card.partition(".")
    if not dot or not re.fullmatch(r"\w+", problem) or not (root / problem / FILE).is_file():
        return None
    course = load(problem, root)
    place = places(course).get(card)
    if place is None:
        return None
    step, found = place
    return course, step, found


@lru_cache(maxsize=64)
def places(course: Course) -> dict[str, tuple[Step, Card]]:
    return {card.id: (step, card) for step in course.steps for card in step.cards}


@lru_cache(maxsize=64)
def loaded(problem: str, path: Path, mtime_ns: int, size: int) -> Course:
    try:
        return parse(problem, path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None


def parse(problem: str, path: Path, text: str) -> Course:
    """BadInput with every mistake, each on a line of its own."""
    reading = Reading(problem, path)
    lines = text.replace("\r\n", "\n").split("\n")
    first = front(reading, lines)
    *_, (_, _, left_open) = fences([*enumerate(lines, 1), (len(lines) + 1, "")])
    if left_open:
        reading.wrong(len(lines), "a fence is not closed")
    parts = list(sections(lines, first))
    for number, line in parts[0]:
        if line.strip():
            reading.wrong(number, "text before the first step, which begins with '## 1. Title'")
            break
    for part in parts[1:]:
        take_step(reading, part)
    if not reading.steps:
        reading.wrong(first + 1, "no steps: each begins with '## 1. Title'")
    for name in ("title", "about"):
        if not reading.values.get(name):
            reading.wrong(1, f"the front matter has no {name}")
    if reading.errors:
        raise BadInput("\n".join(reading.errors))
    after = tuple(re.findall(r"\w+", reading.values.get("after", "")))
    title, about = reading.values["title"], reading.values["about"]
    return Course(problem, title, about, tuple(reading.steps), after)


def front(reading: Reading, lines: list[str]) -> int:
    """Takes the front matter; the index of the line after it."""
    if lines[0] != "---" or "---" not in lines[1:]:
        reading.wrong(1, "no front matter: '---', title and about, '---'")
        return 0
    end = lines.index("---", 1)
    for line in lines[1:end]:
        name, _, value = line.partition(":")
        reading.values[name.strip()] = value.strip().strip("\"'")
    return end + 1


def sections(lines: list[str], first: int) -> Iterator[list[tuple[int, str]]]:
    """What is before the first step, then each step from its heading on, with line numbers."""
    part: list[tuple[int, str]] = []
    for number, line, fenced in fences(list(enumerate(lines[first:], first + 1))):
        if line.startswith("## ") and not fenced:
            yield part
            part = []
        part.append((number, line))
    yield part


def fences(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, bool]]:
    """Each line, and whether it belongs to a fence."""
    closing = ""
    for number, line in lines:
        mark = FENCE.match(line)
        inside = bool(closing or mark)
        if closing:
            if mark and mark[1].startswith(closing) and not line.strip().strip(closing[0]):
                closing = ""
        elif mark:
            closing = mark[1]
        yield number, line, inside


def take_step(reading: Reading, part: list[tuple[int, str]]) -> None:
    line, heading = part[0]
    match = HEADING.fullmatch(heading.rstrip())
    number = len(reading.steps) + 1
    if match is None or int(match[1]) != number:
        reading.wrong(line, f"the heading of a step is '## {number}. Title'")
    prose: list[str] = []
    cards: list[Card] = []
    for at, kind, text in pieces(reading, part[1:]):
        if kind == "prose":
            if cards:
                reading.wrong(at, "prose after the cards of its step, or an answer that goes on")
            prose.append(text)
        else:
            cards += made_cards(reading, at, text)
    words = "\n\n".join(prose)
    if not words:
        reading.wrong(line, "a step without prose")
    if not cards:
        reading.wrong(line, "a step without cards")
    title = match[2] if match else heading.removeprefix("## ")
    reading.steps.append(Step(number, title, words, tuple(cards), str(number)))


def pieces(reading: Reading, lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Paragraphs of prose, and cards whole, each with its comment."""
    part: list[str] = []
    start = 0
    for number, line, fenced in fences([*lines, (lines[-1][0] + 1 if lines else 0, "")]):
        if not fenced and line.startswith("<!--"):
            yield start if part else number, "card", "\n".join([*part, line])
            part = []
            continue
        ends = not line.strip() or line.startswith("Q:")
        if ends and not fenced and part:
            text = "\n".join(part)
            if asks(text):
                reading.wrong(start, "a card without its <!-- card:... --> right under it")
            else:
                yield start, "prose", text
            part = []
        if line.strip() or fenced:
            start = start if part else number
            part.append(line)


def asks(text: str) -> bool:
    return text.startswith("Q:") or bool(cloze.numbers(text))


def made_cards(reading: Reading, line: int, text: str) -> list[Card]:
    said, _, comment = text.rpartition("\n")
    match = COMMENT.fullmatch(comment.strip())
    if match is None or match[1].partition(".")[0] != reading.problem:
        reading.wrong(line, f"the id of a card here is <!-- card:{reading.problem}.a1 -->")
        return []
    if match[1] in reading.ids:
        reading.wrong(line, f"card {match[1]} is also on line {reading.ids[match[1]]}")
        return []
    reading.ids[match[1]] = line
    found = Found(line, line, match[1], mark="card")
    if said.startswith("Q:"):
        question, _, answer = said.removeprefix("Q:").partition("\nA:")
        found.question, found.answer = question.strip(), answer.strip()
    else:
        found.text = said
    cards = cards_of(found, reading.problem)
    if not cards or not all(card.question and card.answer for card in cards):
        reading.wrong(line, "a card is 'Q: ...' and under it 'A: ...', or a text with {{c1::...}}")
        return []
    return cards
