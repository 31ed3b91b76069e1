"""One lesson: present a step, take questions until there are none, quiz, grade, go on.

A state machine that writes down each thing as it happens and shows nothing: the terminal, a page
or an agent drives it, and it can be left at any moment. Knows no terminal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from warpbook.core.errors import BadInput
from warpbook.journal.cards import recall
from warpbook.journal.cards.cards import Card
from warpbook.journal.journal import Journal
from warpbook.journal.teaching import lessons, passages
from warpbook.journal.teaching.course import Course, Step
from warpbook.journal.teaching.lessons import MISSED, Standing
from warpbook.journal.teaching.passages import Passage

if TYPE_CHECKING:
    from warpbook.journal.settings import Teacher
    from warpbook.journal.teaching.teacher import Opinion

MOST_CARDS = 12  # of one quiz


class Phase(StrEnum):
    STEP = "step"  # one is to be presented
    QUESTIONS = "questions"
    QUIZ = "quiz"
    GRADED = "graded"
    DONE = "done"


@dataclass(frozen=True)
class Reply:
    """What is said to a question. `text` is the model's and empty where there is none; `trouble`
    says why a model that is set did not answer; `proposed` cards wait for approval."""

    passages: tuple[Passage, ...]
    text: str = ""
    trouble: str = ""
    proposed: int = 0


@dataclass(frozen=True)
class Grade:
    """How a quiz went. `again` are the steps of missed cards, each with those cards."""

    right: int
    of: int
    again: tuple[tuple[Step, tuple[Card, ...]], ...] = ()


@dataclass
class Lesson:
    journal: Journal
    course: Course
    standing: Standing
    step: Step
    phase: Phase = Phase.STEP
    resumed: bool = False  # whether it goes on where an earlier one was left
    waiting: list[Card] = field(default_factory=list)  # of the quiz under way
    acts: list[tuple[str, Card]] = field(default_factory=list)  # of it, that can be undone
    grade: Grade | None = None
    kept: bool = True  # whether it is written down; else it is only looked at

    @property
    def topic(self) -> str:
        return self.course.problem

    @property
    def card(self) -> Card | None:
        """The one to be asked now."""
        return self.waiting[0] if self.phase is Phase.QUIZ and self.waiting else None

    @property
    def known(self) -> dict[str, Card]:
        """All cards of the course."""
        return {card.id: card for step in self.course.steps for card in step.cards}

    def present(self) -> Step:
        self.expect(Phase.STEP)
        self.note("presented", cards=[card.id for card in self.step.cards])
        self.phase = Phase.QUESTIONS
        return self.step

    def ask(self, question: str) -> Reply:
        self.expect(Phase.QUESTIONS)
        found = passages.find(self.journal, self.course, self.step, question)
        settings = self.journal.settings.teacher
        reply = self.conversed(settings, question, found) if settings else Reply(tuple(found))
        answer = reply.text or "; ".join(dict.fromkeys(one.source for one in found))
        by = "model" if reply.text else "book"
        self.note("asked", question=question, answer=answer, by=by)
        return reply

    def conversed(self, settings: "Teacher", question: str, found: Sequence[Passage]) -> Reply:
        # Imported here: what speaks HTTP takes long to import, and most have no model.
        from warpbook.journal.cards import proposals
        from warpbook.journal.teaching import teacher
        from warpbook.journal.teaching.endpoint import NoAnswer

        try:
            said = teacher.answer(settings, self.step, found, question, self.standing.asked)
        except NoAnswer as error:
            return Reply(tuple(found), trouble=str(error))
        source = f"{self.topic}, step {self.step.number}"
        new = [proposals.NewCard(q, a, self.topic, source) for q, a in said.cards]
        added = proposals.add_all(self.journal, new) if new else 0
        return Reply(tuple(found), said.text, proposed=added)

    def no_more_questions(self) -> None:
        self.expect(Phase.QUESTIONS)
        self.quiz(self.picked())

    def picked(self) -> list[Card]:
        """This step's cards, then what was missed or is due of earlier steps."""
        known = self.known
        earlier = [card for card in self.standing.cards if card in known]
        missed = [card for card in self.standing.missed if card in known]
        ids = [card.id for card in self.step.cards]
        ids += missed + recall.due_among(self.journal, earlier)
        left_out = recall.suspended_among(self.journal, ids)
        return [known[one] for one in dict.fromkeys(ids) if one not in left_out][:MOST_CARDS]

    def quiz(self, cards: list[Card]) -> None:
        self.waiting, self.acts, self.phase = cards, [], Phase.QUIZ
        if cards:
            self.note("quizzed", cards=[card.id for card in cards])
        else:
            self.close_quiz()

    def opinion(self, given: str) -> "Opinion | None":
        """What a model thinks of an answer to the card asked now; None without a model or an
        answer. NoAnswer where the model fails."""
        settings, card = self.journal.settings.teacher, self.card
        if settings is None or card is None or not given.strip():
            return None
        from warpbook.journal.teaching import teacher

        return teacher.grade(settings, card.question, card.answer, given)

    def rate(self, rating: int, seconds: float = 0.0, at: datetime | None = None) -> None:
        """The person's grade of the card asked now; `at` is the moment of what was previewed."""
        self.expect(Phase.QUIZ)
        card = self.waiting[0]
        done = recall.review(self.journal, card.id, rating, seconds, at)
        self.note("graded", card=card.id, rating=rating)
        self.next_card(done.act.id)

    def rest(self) -> None:
        """The card asked now is suspended, here and in every quiz."""
        self.expect(Phase.QUIZ)
        card = self.waiting[0]
        done = recall.suspend(self.journal, card.id)
        self.note("rested", card=card.id)
        self.next_card(done.act.id)

    def next_card(self, done: str) -> None:
        card, *self.waiting = self.waiting
        self.acts.append((done, card))
        if not self.waiting:
            self.close_quiz()

    def undo(self) -> Card | None:
        """Takes back the last grade or rest of this quiz, also when it is over; that card is asked
        again. None where there is nothing to take back."""
        if not self.acts:
            return None
        done, card = self.acts.pop()
        recall.undo(self.journal, done)
        self.note("undone", card=card.id)
        self.waiting, self.phase, self.grade = [card, *self.waiting], Phase.QUIZ, None
        return card

    def close_quiz(self) -> None:
        grades = self.standing.grades
        missed = {card for card, rating in grades.items() if rating == MISSED}
        again = [
            (step, tuple(card for card in step.cards if card.id in missed))
            for step in self.course.steps
        ]
        self.grade = Grade(
            len(grades) - len(missed), len(grades), tuple(one for one in again if one[1])
        )
        self.note("passed", right=self.grade.right, of=self.grade.of, missed=sorted(missed))
        self.phase = Phase.GRADED

    def go_on(self) -> None:
        """To the next step; after the last one, to what is still missed, until nothing is."""
        self.expect(Phase.GRADED)
        self.next_after(self.step)

    def next_after(self, step: Step) -> None:
        self.resumed, self.grade, self.acts = False, None, []
        if step.number < len(self.course.steps):
            self.step, self.phase = self.course.step(step.number + 1), Phase.STEP
            return
        known = self.known
        rest = recall.suspended_among(self.journal, self.standing.missed)
        missed = [card for card in self.standing.missed if card in known and card not in rest]
        if missed:
            self.quiz([known[card] for card in missed[:MOST_CARDS]])
            return
        if not self.standing.finished:
            self.note("finished")
        self.phase = Phase.DONE

    def note(self, act: str, **rest: Any) -> None:
        line = lessons.line_of(self.journal.now(), self.topic, act, step=self.step.key, **rest)
        if self.kept:
            lessons.append(self.journal.folder, line)
        self.standing.take(line)

    def expect(self, phase: Phase) -> None:
        if self.phase is not phase:
            raise BadInput(f"the lesson on {self.topic} is at {self.phase}, not at {phase}")


def begin(
    journal: Journal, course: Course, from_step: int | None = None, restart: bool = False
) -> Lesson:
    """Where it was left, or at the step asked for."""
    if from_step is not None:
        course.step(from_step)
    if restart:
        line = lessons.line_of(journal.now(), course.problem, "restarted")
        lessons.append(journal.folder, line)
    standing = lessons.standing(journal.folder, course.problem)
    if from_step is not None:
        return Lesson(journal, course, standing, course.step(from_step))
    return resumed(journal, course, standing)


def look(journal: Journal, course: Course) -> Lesson:
    """Where it would go on; nothing is written down."""
    standing = lessons.standing(journal.folder, course.problem)
    return resumed(journal, course, standing, kept=False)


def resumed(journal: Journal, course: Course, standing: Standing, kept: bool = True) -> Lesson:
    by_key = {step.key: step for step in course.steps}
    if standing.step not in by_key:
        return Lesson(journal, course, standing, first_open(course, standing), kept=kept)
    step = by_key[standing.step]
    lesson = Lesson(journal, course, standing, step, resumed=True, kept=kept)
    if not standing.open and not standing.quiz:
        lesson.next_after(step)
        return lesson
    known = lesson.known
    left = [card for card in standing.quiz if card in known and card not in standing.grades]
    rest = recall.suspended_among(journal, left)
    lesson.waiting = [known[card] for card in left if card not in rest]
    if lesson.waiting:
        lesson.phase = Phase.QUIZ
    elif standing.quiz:
        lesson.close_quiz()
    else:
        lesson.phase = Phase.QUESTIONS
    return lesson


def first_open(course: Course, standing: Standing) -> Step:
    """A step that is gone from its notes leaves the first that was not passed."""
    waiting = (step for step in course.steps if step.key not in standing.passed)
    return next(waiting, course.steps[-1])
