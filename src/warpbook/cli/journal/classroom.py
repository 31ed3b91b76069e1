"""A lesson in the terminal, or with its answers piped in. What is decided, the lesson decides."""

import time
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from warpbook.cli.guard import say
from warpbook.cli.journal.prompt import Left, read_line, ready, show
from warpbook.cli.journal.quizzing import FLAG, GRADES, SUSPEND, UNDO, offered

if TYPE_CHECKING:
    from warpbook.journal.cards.cards import Card
    from warpbook.journal.teaching.lesson import Grade, Lesson, Reply
    from warpbook.journal.teaching.teacher import Opinion


def converse(lesson: "Lesson") -> int:
    """Until the course is done, or somebody leaves; the place is kept either way."""
    from warpbook.journal.teaching.lesson import Phase

    room = Classroom(lesson)
    moves = {
        Phase.STEP: room.present,
        Phase.QUESTIONS: room.questions,
        Phase.QUIZ: room.quiz,
        Phase.GRADED: room.go_on,
    }
    ready()
    try:
        room.enter()
        while lesson.phase is not Phase.DONE:
            moves[lesson.phase]()
    except Left:
        room.leave()
        return 0
    except KeyboardInterrupt:
        room.leave()
        raise
    show(f"{lesson.course.title}: done. What you learnt comes back in `warpbook quiz`.", "bold")
    return 0


@dataclass
class Classroom:
    lesson: "Lesson"
    silent: bool = False  # the model failed to grade, and is not asked for it again

    def enter(self) -> None:
        from warpbook.journal.teaching.lesson import Phase

        lesson = self.lesson
        if lesson.resumed and lesson.phase in (Phase.QUESTIONS, Phase.QUIZ):
            show("you go on where you left", "dim")
        if lesson.resumed and lesson.phase is Phase.QUESTIONS:
            self.show_step()
        self.show_grade()

    def present(self) -> None:
        self.lesson.present()
        self.show_step()

    def show_step(self) -> None:
        course, step = self.lesson.course, self.lesson.step
        show(course.title, "dim")
        if course.after and step.number == 1:
            show(f"builds on {', '.join(course.after)}", "dim")
        show(f"step {step.number} of {len(course.steps)}: {step.title}", "bold")
        show(f"\n{step.text}\n", prose=True)

    def questions(self) -> None:
        asked = read_line("questions? (Enter for none, q to leave)")
        if not asked:
            self.lesson.no_more_questions()
            self.show_grade()
            return
        show_reply(self.lesson.ask(asked))

    def quiz(self) -> None:
        card = self.lesson.card
        if card is None:
            return
        of = len(self.lesson.standing.quiz)
        show(f"\ncard {of - len(self.lesson.waiting) + 1} of {of}", "dim")
        show(card.question, "bold")
        started = time.monotonic()
        given = read_line("your answer (Enter to see it, u to undo, q to leave)")
        if given == UNDO:
            self.undo()
            return
        show(card.answer)
        self.grade(card, self.opinion(given), started)
        self.show_grade()

    def show_grade(self) -> None:
        """Once there is one."""
        if self.lesson.grade:
            show_grade(self.lesson.grade)

    def opinion(self, given: str) -> "Opinion | None":
        if self.silent or self.lesson.journal.settings.teacher is None:
            return None
        from warpbook.journal.teaching.endpoint import NoAnswer

        try:
            return self.lesson.opinion(given)
        except NoAnswer as error:
            self.silent = True
            say(f"{error}; you grade without it")
            return None

    def grade(self, card: "Card", opinion: "Opinion | None", started: float) -> None:
        """The person's own; Enter takes the model's. The moment of the preview is that of the
        review, so that it is what happens."""
        from warpbook.journal.cards import recall
        from warpbook.journal.cards.reviews import moment
        from warpbook.journal.cards.schedule import RATINGS

        enter = ""
        if opinion:
            show(f"the model says {RATINGS[opinion.rating]}: {opinion.why}", "dim")
            enter = f"; Enter for {RATINGS[opinion.rating]}"
        journal = self.lesson.journal
        at = moment(journal.now())
        choices = offered(recall.preview(journal, card.id, at), at)
        while True:
            typed = read_line(f"{choices}{enter}; f flag, s suspend, u undo, q to leave").lower()
            if typed in GRADES or (opinion and not typed):
                rating = GRADES[typed] if typed or not opinion else opinion.rating
                self.lesson.rate(rating, time.monotonic() - started, at)
                return
            if typed == SUSPEND:
                self.lesson.rest()
                show("suspended: it is asked no more")
                return
            if typed == UNDO:
                self.undo()
                return
            if typed == FLAG:
                flagged = not recall.get(journal, card.id).flagged
                recall.flag(journal, card.id, flagged)
                show("flagged" if flagged else "no longer flagged")
                continue
            show("1, 2, 3 or 4 for how well you knew it, or f, s, u, q")

    def undo(self) -> None:
        """The card of the last grade of this quiz is asked again."""
        show("undone" if self.lesson.undo() else "nothing was graded in this quiz yet")

    def go_on(self) -> None:
        if read_line("go on? (Enter to go on, u to undo, q to leave)") == UNDO:
            self.undo()
            return
        self.lesson.go_on()

    def leave(self) -> None:
        """Says where it goes on."""
        from warpbook.journal.teaching.lesson import Phase

        lesson = self.lesson
        at = "after" if lesson.phase is Phase.GRADED else "at"
        place = f"{at} step {lesson.step.number} of {len(lesson.course.steps)}"
        show(f"left {place}; go on with: warpbook teach {quote(lesson.topic)}", "dim")


def show_reply(reply: "Reply") -> None:
    if reply.trouble:
        say(f"{reply.trouble}; what follows is from the book")
    if reply.text:
        show(f"\n{reply.text}\n", prose=True)
        if reply.proposed:
            cards = "1 card waits" if reply.proposed == 1 else f"{reply.proposed} cards wait"
            show(f"{cards} for approval: warpbook card proposals", "dim")
        return
    source = ""
    for one in reply.passages:
        if one.source != source:
            show(f"\nfrom {one.source}", "dim")
        show(one.text, prose=True)
        source = one.source
    if not reply.passages:
        show("nothing in the course or the book speaks of that; the question is kept", "dim")
    show("")


def show_grade(grade: "Grade") -> None:
    if not grade.of:
        show("no cards to ask here", "dim")
        return
    show(f"\n{grade.right} of {grade.of} right", "bold")
    for step, cards in grade.again:
        show(f"\nonce more, in short: step {step.number}, {step.title}", "dim")
        show(step.short, prose=True)
        for card in cards:
            show(f"\n{card.question}\n  {card.answer}")
    show("")
