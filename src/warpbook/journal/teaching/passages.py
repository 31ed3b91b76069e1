"""The passages of a book that speak of a question: of the course, of its ladder's README, of days,
reading and cards, and of findings.

Ranked by the words they share with the question, the rarer ones counting more. Plain text and one
query of the index; no model.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warpbook.book.match import match
from warpbook.journal.teaching.course import Course, Step
from warpbook.kernels.library import BUILT_IN

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal

MOST = 3
LONGEST = 900
HITS = 30  # entries of the index that are looked at
STEM = 6  # "coalesced" and "coalescing" are one word
WORD = re.compile(r"[^\W_]{2,}")
COMMON = frozenset(
    WORD.findall(
        "the and for are was were what which why how when where who does did can could should "
        "would will with without that this these those there here from into than then its has "
        "have had not but they them you your about is it of to in on at by be as an or if so do "
        "we me my no any all one more most only also use used using mean means explain tell "
        "difference between"
    )
)


@dataclass(frozen=True)
class Passage:
    source: str
    text: str


def find(
    journal: "Journal", course: Course, step: Step, question: str, limit: int = MOST
) -> list[Passage]:
    """The best first; none where nothing shares a word with the question."""
    asked = set(words(question))
    if not asked:
        return []
    candidates = [
        *of_course(course),
        *of_readme(BUILT_IN / course.problem / "README.md"),
        *of_index(journal, asked),
    ]
    return ranked(candidates, asked, limit)


def ranked(candidates: list[Passage], asked: set[str], limit: int) -> list[Passage]:
    counts = [Counter(words(f"{one.source} {one.text}")) for one in candidates]
    held = Counter(word for count in counts for word in asked & count.keys())
    weight = {word: math.log(1 + len(candidates) / held[word]) for word in held}
    scores = [
        sum(weight[word] * n / (n + 1) for word, n in count.items() if word in weight)
        for count in counts
    ]
    order = sorted(range(len(candidates)), key=lambda i: -scores[i])
    best: dict[str, Passage] = {}
    for i in order:
        if scores[i] <= 0 or len(best) == limit:
            break
        best.setdefault(candidates[i].text, candidates[i])
    return list(best.values())


def words(text: str) -> Iterator[str]:
    for word in WORD.findall(text.casefold()):
        if word not in COMMON:
            yield (word[:-1] if word.endswith("s") and len(word) > 3 else word)[:STEM]


def of_course(course: Course) -> Iterator[Passage]:
    """Its prose: the cards are about to be asked."""
    for step in course.steps:
        for text in paragraphs(step.text):
            yield Passage(f"{course.problem}, step {step.number}: {step.title}", text)


def of_readme(path: Path) -> Iterator[Passage]:
    """Paragraphs under their headings; tables of measurements are not prose."""
    if not path.is_file():
        return
    heading = ""
    for text in paragraphs(path.read_text(encoding="utf-8")):
        if text.startswith("#"):
            first, _, text = text.partition("\n")
            heading = first.lstrip("# ")
        if text.strip() and not text.lstrip().startswith(("|", "<!--")):
            yield Passage(f"{path.parent.name}, README: {heading}", text)


def of_index(journal: "Journal", asked: set[str]) -> Iterator[Passage]:
    """Entries with any of the words; what is of the book itself has its number as source."""
    query = " OR ".join(match(word) for word in sorted(asked)[:20])
    found = journal.index.connection.execute(
        "SELECT e.kind, e.path, e.line, t.title, t.body FROM journal_text t "
        "JOIN journal_entries e ON e.id = t.rowid WHERE journal_text MATCH ? "
        "ORDER BY rank LIMIT ?",
        (query, HITS),
    )
    for kind, path, line, title, body in found:
        if kind == "card":
            yield Passage(f"{path}:{line}", cut(f"{title}\n{body}"))
            continue
        for text in paragraphs(body) or [title]:
            yield Passage(f"{path}:{line}, {title}", text)
    found = journal.index.connection.execute(
        "SELECT kind, key, title, body FROM book_text WHERE book_text MATCH ? "
        "ORDER BY rank LIMIT ?",
        (query, HITS),
    )
    for kind, key, title, body in found:
        yield Passage(f"{kind} {key}", cut(f"{title}\n{body}".strip()))


def paragraphs(text: str) -> list[str]:
    """Split at blank lines outside fences, each cut to a length that can be shown."""
    parts: list[list[str]] = [[]]
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if line.strip() or fenced:
            parts[-1].append(line)
        elif parts[-1]:
            parts.append([])
    return [cut("\n".join(part)) for part in parts if part]


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(maxsplit=1)[0] + " ..."
