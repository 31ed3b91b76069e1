"""Courses, and how far somebody is in each: what was read, what was passed, and how well its cards
are known.

Reads the record of lessons, and adds to it that a step was read. Knows nothing of pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpbook.journal.cards import recall
from warpbook.journal.cards.schedule import Recall
from warpbook.journal.teaching import course as courses
from warpbook.journal.teaching import lessons
from warpbook.journal.teaching.course import Course, Step
from warpbook.journal.teaching.lessons import Standing

if TYPE_CHECKING:
    from warpbook.journal.journal import Journal


@dataclass(frozen=True)
class Place:
    """`known` has the cards of its steps that were asked."""

    course: Course
    standing: Standing
    known: Mapping[str, Recall]

    @property
    def presented(self) -> int:
        return sum(self.is_presented(step) for step in self.course.steps)

    @property
    def passed(self) -> int:
        return sum(self.is_passed(step) for step in self.course.steps)

    @property
    def next(self) -> Step | None:
        """The first that was not read yet."""
        return next((step for step in self.course.steps if not self.is_presented(step)), None)

    def is_presented(self, step: Step) -> bool:
        return step.key in self.standing.presented

    def is_passed(self, step: Step) -> bool:
        return step.key in self.standing.passed

    def recall(self, card: str) -> Recall:
        return self.known.get(card) or Recall(card)


def places(journal: "Journal") -> list[Place]:
    """Every course that comes with a ladder."""
    standings = lessons.standings(journal.folder)
    found = courses.all_courses()
    known = recall.among(journal, [card for one in found for card in ids(one)])
    return [Place(one, standings.get(one.problem) or Standing(one.problem), known) for one in found]


def place(journal: "Journal", problem: str) -> Place:
    one = courses.load(problem)
    return Place(one, lessons.standing(journal.folder, problem), recall.among(journal, ids(one)))


def ids(course: Course) -> list[str]:
    return [card.id for step in course.steps for card in step.cards]


def present(journal: "Journal", problem: str, number: int) -> Place:
    """Notes that a step was read, which takes its cards into the deck; once is enough."""
    from warpbook.journal.teaching import lesson

    one = place(journal, problem)
    step = one.course.step(number)
    if not one.is_presented(step):
        lesson.begin(journal, one.course, number).present()
    return place(journal, problem)


def document(one: Place) -> dict[str, Any]:
    """As programs read it, without its steps."""
    return {
        "problem": one.course.problem,
        "title": one.course.title,
        "about": one.course.about,
        "steps": len(one.course.steps),
        "cards": len(ids(one.course)),
        "presented": one.presented,
        "passed": one.passed,
        "next": one.next.number if one.next else None,
        "finished": one.standing.finished,
    }


def step_document(one: Place, step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "title": step.title,
        "text": step.text,
        "presented": one.is_presented(step),
        "passed": one.is_passed(step),
        "cards": [
            {
                "id": card.id,
                "question": card.question,
                "answer": card.answer,
                "state": one.recall(card.id).state,
                "due": recall.text_of(one.recall(card.id).due),
            }
            for card in step.cards
        ],
    }
