"""The record of what was taught: `cards/lessons.jsonl`, a line for each thing that happened.

Where somebody stands in a course is the fold of these lines, so that a lesson can end at any
moment. A line that cannot be read is left alone and counts for nothing. Knows nothing of what a
step says, nor when a card is due.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from warpbook.journal.texts import textfile

FILE = "cards/lessons.jsonl"
MISSED = 1  # the rating of a card that was not known


@dataclass(frozen=True)
class Saved:
    """What a grade, or the end of a quiz, may change."""

    passed: list[str]
    missed: list[str]
    quiz: list[str]
    grades: dict[str, int]
    asked: list[tuple[str, str]]
    open: bool


@dataclass
class Standing:
    """How far somebody is in one topic. Steps go by their keys, in the order they were presented.
    `quiz` are the cards of the quiz that was begun last and `grades` what was said of them since;
    both are empty where no quiz is under way."""

    topic: str
    at: str = ""
    step: str = ""  # the one presented last
    presented: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)  # cards whose last grade was "again"
    cards: list[str] = field(default_factory=list)  # of all steps presented
    quiz: list[str] = field(default_factory=list)
    grades: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)  # on this step, with the answers
    open: bool = False  # that step was presented, and its quiz is not over
    finished: bool = False
    before: list[Saved] = field(default_factory=list)  # each grade of that quiz

    def take(self, line: dict[str, Any]) -> None:
        self.at = str(line.get("at", ""))
        step = str(line.get("step") or "")
        match line["act"]:
            case "presented":
                self.present(step, texts(line.get("cards")))
            case "asked":
                self.asked.append((str(line.get("question", "")), str(line.get("answer", ""))))
            case "quizzed":
                self.quiz, self.grades, self.before = texts(line.get("cards")), {}, []
            case "graded":
                self.save()
                self.grade(str(line.get("card", "")), line.get("rating"))
            case "rested":
                self.save()
            case "undone":
                self.undo()
            case "passed":
                self.quiz, self.grades, self.asked, self.open = [], {}, [], False
                add(self.passed, step)
            case "finished":
                self.finished = True

    def present(self, step: str, cards: list[str]) -> None:
        self.step, self.open, self.finished = step, True, False
        self.quiz, self.grades, self.asked, self.before = [], {}, [], []
        add(self.presented, step)
        for card in cards:
            add(self.cards, card)

    def save(self) -> None:
        lists = ([*self.passed], [*self.missed], [*self.quiz])
        self.before.append(Saved(*lists, {**self.grades}, [*self.asked], self.open))

    def undo(self) -> None:
        if self.before:
            was = self.before.pop()
            self.passed, self.missed, self.quiz = was.passed, was.missed, was.quiz
            self.grades, self.asked, self.open = was.grades, was.asked, was.open

    def grade(self, card: str, rating: object) -> None:
        if not card or not isinstance(rating, int):
            return
        self.grades[card] = rating
        if rating == MISSED:
            add(self.missed, card)
        elif card in self.missed:
            self.missed.remove(card)


def add(to: list[str], what: str) -> None:
    if what and what not in to:
        to.append(what)


def texts(given: object) -> list[str]:
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def line_of(at: datetime, topic: str, act: str, **rest: Any) -> dict[str, Any]:
    """`act` is presented, asked, quizzed, graded, rested, undone, passed, finished or restarted."""
    return {
        "id": uuid.uuid4().hex[:12],
        "at": at.isoformat(timespec="seconds"),
        "topic": topic,
        "act": act,
        **rest,
    }


def append(folder: Path, line: dict[str, Any]) -> None:
    text = json.dumps(line, ensure_ascii=False)
    # Bytes that are no UTF-8 come from a terminal as lone surrogates: JSON can spell those out.
    textfile.append_line(folder / FILE, text.encode("utf-8", "backslashreplace").decode())


def standings(folder: Path) -> dict[str, Standing]:
    """Of every topic that was begun."""
    found: dict[str, Standing] = {}
    for line in lines(folder):
        topic = line["topic"]
        if line["act"] == "restarted" or topic not in found:
            found[topic] = Standing(topic)
        found[topic].take(line)
    return found


def standing(folder: Path, topic: str) -> Standing:
    return standings(folder).get(topic) or Standing(topic)


def presented_cards(folder: Path) -> dict[str, str]:
    """Every card that was ever presented, with its topic: a course begun anew takes none back."""
    return {
        card: line["topic"]
        for line in lines(folder)
        if line["act"] == "presented"
        for card in texts(line.get("cards"))
    }


def lines(folder: Path) -> Iterator[dict[str, Any]]:
    try:
        content = (folder / FILE).read_bytes()
    except FileNotFoundError:
        return
    for raw in content.splitlines():
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        match line:
            case {"topic": str(), "act": str()}:
                yield line
