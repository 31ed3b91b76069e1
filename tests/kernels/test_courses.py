"""The courses that come with Warpbook: one for each ladder, and every step can be asked for."""

import re

import pytest

from warpbook.journal.teaching import course
from warpbook.kernels.library import BUILT_IN, problem_names

LEAST_CARDS = 150
SUBJECTS = (
    "memory hierarchy",
    "coalesc",
    "tiling",
    "occupancy",
    "bank conflict",
    "roofline",
    "numeric",
)


def cards(one):
    return [card for step in one.steps for card in step.cards]


def test_every_ladder_has_a_course():
    assert course.names() == problem_names()


@pytest.mark.parametrize("problem", problem_names())
def test_every_step_of_a_course_has_prose_and_cards(problem):
    steps = course.load(problem).steps
    assert len(steps) >= 3
    for step in steps:
        assert len(step.text.split()) >= 40, step.title
        assert step.cards, step.title
        assert all(card.question and card.answer for card in step.cards)


def test_there_are_cards_for_weeks():
    found = [card for one in course.all_courses() for card in cards(one)]
    assert len(found) >= LEAST_CARDS
    assert len({card.id for card in found}) == len(found)


def test_no_question_is_asked_twice():
    questions = [card.question.casefold() for one in course.all_courses() for card in cards(one)]
    assert sorted(q for q in set(questions) if questions.count(q) > 1) == []


@pytest.mark.parametrize("problem", problem_names())
def test_fences_are_closed_within_their_step(problem):
    for step in course.load(problem).steps:
        assert len(re.findall(r"^ {0,3}```", step.text, re.MULTILINE)) % 2 == 0, step.title
        for card in step.cards:
            assert len(re.findall(r"^ {0,3}```", card.answer, re.MULTILINE)) % 2 == 0, card.id


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_courses_together_teach(subject):
    texts = [path.read_text().casefold() for path in BUILT_IN.glob("*/course.md")]
    assert any(subject in text for text in texts)
