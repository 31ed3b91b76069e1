"""A lesson: present, questions, quiz, grade, go on; left at any moment, it goes on from there."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from chat_server import chatting
from toy_course import TOY

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.cards import proposals, recall
from warpbook.journal.cards.cards import Card
from warpbook.journal.journal import Journal
from warpbook.journal.teaching import lesson, lessons
from warpbook.journal.teaching.course import Course, Step
from warpbook.journal.teaching.endpoint import NoAnswer
from warpbook.journal.teaching.lesson import Phase

GOOD, AGAIN = 3, 1


def begun(journal, **how):
    return lesson.begin(journal, TOY, **how)


def quizzed(one, ratings):
    """Presents a step, asks nothing and grades its cards; those that were asked."""
    if one.phase is Phase.STEP:
        one.present()
    if one.phase is Phase.QUESTIONS:
        one.no_more_questions()
    asked = []
    while one.card:
        asked.append(one.card.id)
        one.rate(ratings.get(one.card.id, GOOD))
    return asked


def through(one, ratings=None):
    """To the end, whatever it takes."""
    asked = []
    while one.phase is not Phase.DONE:
        asked.append(quizzed(one, ratings or {}))
        ratings = {}
        one.go_on()
    return asked


def test_a_course_is_gone_through_step_by_step(journal):
    one = begun(journal)
    assert (one.phase, one.resumed) == (Phase.STEP, False)
    assert one.present().title == "One toy"
    assert one.phase is Phase.QUESTIONS
    one.no_more_questions()
    assert one.card.question == "What is a toy?"
    one.rate(GOOD)
    one.rate(GOOD)
    assert (one.phase, one.grade) == (Phase.GRADED, lesson.Grade(2, 2))
    one.go_on()
    assert (one.phase, one.step.title) == (Phase.STEP, "Boxes")
    assert through(one) == [["toy.b1"], ["toy.c1"]]
    assert lessons.standing(journal.folder, "toy").finished


def test_grades_are_reviews(journal):
    quizzed(begun(journal), {"toy.a1": AGAIN})
    assert recall.get(journal, "toy.a1").reviews == 1
    lines = journal.path("cards/reviews.jsonl").read_text().splitlines()
    assert [(one["card"], one["rating"]) for one in map(json.loads, lines)] == [
        ("toy.a1", AGAIN),
        ("toy.a2", GOOD),
    ]


def test_what_was_missed_is_shown_again_and_asked_again(journal):
    one = begun(journal)
    quizzed(one, {"toy.a2": AGAIN})
    assert (one.grade.right, one.grade.of) == (1, 2)
    [(step, missed)] = one.grade.again
    assert (step.number, [card.id for card in missed]) == (1, ["toy.a2"])
    one.go_on()
    assert quizzed(one, {}) == ["toy.b1", "toy.a2"]
    one.go_on()
    assert quizzed(one, {}) == ["toy.c1"]


def test_what_is_missed_at_the_end_is_asked_until_it_is_known(journal):
    one = begun(journal, from_step=3)
    quizzed(one, {"toy.c1": AGAIN})
    one.go_on()
    assert one.phase is Phase.QUIZ
    assert quizzed(one, {"toy.c1": AGAIN}) == ["toy.c1"]
    one.go_on()
    assert quizzed(one, {}) == ["toy.c1"]
    one.go_on()
    assert one.phase is Phase.DONE


def test_cards_of_earlier_steps_that_are_due_are_asked(journal):
    quizzed(begun(journal), {})
    later = journal.now() + timedelta(days=30)
    journal.now = lambda: later
    assert quizzed(begun(journal), {}) == ["toy.b1", "toy.a1", "toy.a2"]


def test_a_suspended_card_is_not_asked(journal):
    recall.suspend(journal, "toy.a1")
    assert quizzed(begun(journal), {}) == ["toy.a2"]


def test_a_step_whose_cards_all_rest_is_passed(journal):
    recall.suspend(journal, "toy.b1")
    one = begun(journal, from_step=2)
    assert quizzed(one, {}) == []
    assert (one.phase, one.grade) == (Phase.GRADED, lesson.Grade(0, 0))


def test_no_quiz_is_longer_than_twelve(journal):
    many = tuple(Card(f"many.a{n}", f"{n}?", "yes") for n in range(20))
    one = lesson.begin(journal, Course("many", "Many", "", (Step(1, "Many", "...", many, "1"),)))
    assert len(quizzed(one, {})) == 12


@pytest.mark.parametrize("left_after", range(9))
def test_a_lesson_left_at_any_moment_goes_on_from_there(journal, left_after):
    """The same happens whether or not it was left in between."""
    moves = 0
    seen = []
    one = begun(journal)
    while one.phase is not Phase.DONE:
        if moves == left_after:
            before = (one.phase, one.step.number, one.card and one.card.id)
            one = begun(journal)
            # What was graded needs no second look: it is at the next step then.
            if before[0] is not Phase.GRADED:
                assert (one.phase, one.step.number, one.card and one.card.id) == before
        moves += 1
        match one.phase:
            case Phase.STEP:
                seen.append(one.present().number)
            case Phase.QUESTIONS:
                one.no_more_questions()
            case Phase.QUIZ:
                seen.append(one.card.id)
                one.rate(GOOD)
            case Phase.GRADED:
                one.go_on()
    assert seen == [1, "toy.a1", "toy.a2", 2, "toy.b1", 3, "toy.c1"]


def test_a_course_that_is_done_stays_done_until_it_is_begun_anew(journal):
    through(begun(journal))
    assert begun(journal).phase is Phase.DONE
    again = begun(journal, restart=True)
    assert (again.phase, again.step.number) == (Phase.STEP, 1)
    assert begun(journal, from_step=2).step.number == 2
    with pytest.raises(NotFound, match="steps 1 to 3, no 9"):
        begun(journal, from_step=9)


def test_a_step_taken_out_of_its_notes_leaves_the_others(journal):
    one = begun(journal)
    quizzed(one, {})
    one.go_on()
    one.present()
    kept = replace(TOY, steps=(TOY.steps[0], replace(TOY.steps[2], number=2)))
    assert lesson.begin(journal, kept).step.title == "Shelves"


def test_a_move_out_of_turn_is_refused(journal):
    one = begun(journal)
    with pytest.raises(BadInput, match="is at step, not at quiz"):
        one.rate(GOOD)
    with pytest.raises(BadInput, match="not at questions"):
        one.ask("Why?")


def test_a_question_is_answered_from_the_material(journal):
    one = begun(journal)
    one.present()
    reply = one.ask("Where does the box stand at night?")
    assert reply.text == ""
    assert reply.passages[0].source == "toy, step 2: Boxes"
    assert lessons.standing(journal.folder, "toy").asked[0][0].startswith("Where does")


def settled(folder, endpoint):
    with (folder / "warpbook.toml").open("a") as file:
        file.write(f'[teacher]\nendpoint = "{endpoint}"\nmodel = "toy-1"\n')
    return Journal.open(folder)


def test_a_model_answers_and_its_cards_wait_for_approval(folder):
    with chatting() as chat, settled(folder, chat.endpoint) as journal:
        cards = [{"question": "Is it shut?", "answer": "At night."}]
        chat.say = f"At night.\n```json\n{json.dumps({'cards': cards})}\n```"
        one = begun(journal)
        one.present()
        reply = one.ask("When is the box shut?")
        assert (reply.text, reply.proposed, reply.trouble) == ("At night.", 1, "")
        assert "shut at night" in chat.requests[0][2]["messages"][0]["content"]
        [waiting] = proposals.list_all(journal)
        assert (waiting.question, waiting.topic, waiting.source) == (
            "Is it shut?",
            "toy",
            "toy, step 1",
        )
        assert journal.index.entries("card") == []


def test_a_model_that_fails_leaves_the_book_to_answer(folder):
    with chatting() as chat, settled(folder, chat.endpoint) as journal:
        chat.status = 500
        one = begun(journal)
        one.present()
        reply = one.ask("When is the box shut?")
        assert "failed (500)" in reply.trouble
        assert reply.passages[0].source == "toy, step 2: Boxes"


def test_a_models_grade_is_an_opinion_and_the_persons_counts(folder):
    with chatting() as chat, settled(folder, chat.endpoint) as journal:
        one = begun(journal)
        one.present()
        one.no_more_questions()
        assert one.opinion("") is None
        chat.say = '{"rating": 4, "why": "all of it"}'
        assert one.opinion("something to hold").rating == 4
        one.rate(AGAIN)
        assert lessons.standing(journal.folder, "toy").missed == ["toy.a1"]
        chat.say = "no idea"
        with pytest.raises(NoAnswer):
            one.opinion("a colour")


def test_without_settings_nothing_is_asked_of_anyone(journal):
    one = begun(journal)
    one.present()
    one.no_more_questions()
    assert one.opinion("something to hold") is None


def test_a_card_laid_to_rest_is_out_of_the_quiz_and_stays_out(journal):
    one = begun(journal)
    one.present()
    one.no_more_questions()
    one.rest()
    assert one.card.id == "toy.a2"
    assert begun(journal).card.id == "toy.a2"
    one.rest()
    assert (one.phase, one.grade) == (Phase.GRADED, lesson.Grade(0, 0))


def test_a_grade_can_be_undone_also_the_last_of_a_quiz(journal):
    """What is asked, missed and passed is as if it had never been given; so it is on resuming."""
    one = begun(journal)
    one.present()
    one.no_more_questions()
    assert one.undo() is None
    one.rate(AGAIN)
    one.rate(AGAIN)
    assert (one.phase, one.standing.passed) == (Phase.GRADED, ["1"])
    assert one.undo().id == "toy.a2"
    assert (one.phase, one.card.id, one.grade) == (Phase.QUIZ, "toy.a2", None)
    left = begun(journal)
    assert (left.card.id, left.standing.missed, left.standing.passed) == ("toy.a2", ["toy.a1"], [])
    assert one.undo().id == "toy.a1"
    assert one.undo() is None
    assert [card.id for card in one.waiting] == ["toy.a1", "toy.a2"]
    assert recall.get(journal, "toy.a1").reviews == 0
    assert begun(journal).standing.missed == []
    one.rate(GOOD)
    one.rest()
    assert one.undo().id == "toy.a2"
    assert not recall.get(journal, "toy.a2").suspended
    one.rate(GOOD)
    assert one.grade == lesson.Grade(2, 2)
    one.go_on()
    assert one.undo() is None


def test_a_review_is_what_was_previewed(journal):
    one = begun(journal)
    one.present()
    one.no_more_questions()
    at = journal.now() - timedelta(seconds=90)
    seen = recall.preview(journal, one.card.id, at)
    one.rate(GOOD, 90.0, at)
    assert recall.get(journal, "toy.a1").due == seen[GOOD]
