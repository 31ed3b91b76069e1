"""Courses, and how far somebody is in them."""

import pytest

from warpbook.core.errors import BadInput
from warpbook.journal.cards import deck
from warpbook.journal.teaching import syllabus


def test_a_step_that_was_read_joins_the_deck_once(journal):
    before = syllabus.place(journal, "softmax")
    assert before.next.number == 1
    step = before.course.step(2)
    after = syllabus.present(journal, "softmax", 2)
    syllabus.present(journal, "softmax", 2)
    assert (after.presented, after.passed, after.next.number) == (1, 0, 1)
    assert len(journal.path("cards", "lessons.jsonl").read_text().splitlines()) == 1
    held = {one.card.id for one in deck.cards(journal, "softmax")}
    assert held == {card.id for card in step.cards}
    assert {one.course.problem: one.presented for one in syllabus.places(journal)}["softmax"] == 1


def test_a_step_that_is_not_there(journal):
    with pytest.raises(BadInput, match="no 99"):
        syllabus.present(journal, "softmax", 99)
