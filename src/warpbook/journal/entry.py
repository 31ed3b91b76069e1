"""What is found in a text file: entries to list and search, and problems to tell of.

Knows nothing of how any kind of entry is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """Something in a file that could not be used; the file stays as it is."""

    path: str  # below the book's folder
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Entry:
    """`key` is what people and links call it by, unique within its kind. `title` and `body` are
    what a search looks in; `document` is all of it as JSON values."""

    kind: str  # day, plan, claim, reading, question, card
    key: str
    line: int
    title: str
    body: str = ""
    date: str = ""
    topic: str = ""
    state: str = ""
    document: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""  # below the book's folder


@dataclass(frozen=True)
class Parsed:
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
