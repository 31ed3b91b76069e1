"""What a model is told, and what is taken from its words."""

import json

import pytest
from chat_server import chatting

from warpbook.journal.settings import Teacher
from warpbook.journal.teaching import teacher
from warpbook.journal.teaching.course import Step
from warpbook.journal.teaching.endpoint import NoAnswer
from warpbook.journal.teaching.passages import Passage

STEP = Step(1, "Warps", "Threads run in warps of 32.", (), "1")


@pytest.fixture
def chat():
    with chatting() as server:
        yield server


def settings(chat):
    return Teacher(chat.endpoint, "toy-1", "")


def block(document):
    return f"```json\n{json.dumps(document)}\n```"


def test_the_model_gets_the_step_the_passages_and_what_was_asked_before(chat):
    found = [Passage("softmax, README", "Rows are read once.")]
    said = teacher.answer(settings(chat), STEP, found, "Why 32?", [("What?", "A warp.")])
    assert said == teacher.Said("Because.")
    system, *rest = chat.requests[0][2]["messages"]
    assert "from first principles" in system["content"]
    assert "do not cover" in system["content"]
    assert STEP.text in system["content"]
    assert "softmax, README" in system["content"]
    assert [(one["role"], one["content"]) for one in rest] == [
        ("user", "What?"),
        ("assistant", "A warp."),
        ("user", "Why 32?"),
    ]


def test_cards_are_taken_out_of_the_words(chat):
    cards = {"cards": [{"question": "Why\n 32?", "answer": "The hardware's width."}]}
    chat.say = f"It is a width.\n\n{block(cards)}"
    said = teacher.answer(settings(chat), STEP, [], "Why 32?")
    assert said.text == "It is a width."
    assert said.cards == (("Why 32?", "The hardware's width."),)


@pytest.mark.parametrize(
    "document",
    [
        {"cards": "none"},
        {"cards": [{"question": "", "answer": "x"}]},
        {"cards": [{"question": "x"}, 3, None]},
        {"cards": [{"question": "x", "answer": "y" * 5000}]},
        [1],
    ],
)
def test_cards_that_are_none_stay_in_the_words(chat, document):
    chat.say = f"Words.\n{block(document)}"
    assert teacher.answer(settings(chat), STEP, [], "?") == teacher.Said(chat.say)


def test_a_flood_of_cards_is_cut(chat):
    many = [{"question": f"Q{n}?", "answer": "A"} for n in range(40)]
    chat.say = block({"cards": many})
    assert len(teacher.answer(settings(chat), STEP, [], "?").cards) == 5


@pytest.mark.parametrize(
    "said",
    [
        '{"rating": 2, "why": "half of it"}',
        'Here:\n```json\n{"rating": 2, "why": "half of it"}\n```',
    ],
)
def test_a_grade_is_taken_from_the_words(chat, said):
    chat.say = said
    opinion = teacher.grade(settings(chat), "What is a warp?", "32 threads.", "threads")
    assert opinion == teacher.Opinion(2, "half of it")
    asked = chat.requests[0][2]["messages"][1]["content"]
    assert "What is a warp?" in asked
    assert "32 threads." in asked


@pytest.mark.parametrize("said", ["fine", '{"rating": 9}', '{"rating": "good"}', "{"])
def test_words_without_a_grade_are_no_grade(chat, said):
    chat.say = said
    with pytest.raises(NoAnswer, match="did not grade"):
        teacher.grade(settings(chat), "q", "a", "b")
