"""The record of lessons: where somebody stands is what the lines come to."""

from datetime import UTC, datetime

import pytest

from warpbook.journal.teaching import lessons

AT = datetime(2026, 1, 4, 12, tzinfo=UTC)


@pytest.fixture
def record(tmp_path):
    def add(act, topic="toy", **rest):
        lessons.append(tmp_path, lessons.line_of(AT, topic, act, **rest))

    add.folder = tmp_path
    return add


def test_nothing_was_taught_yet(tmp_path):
    assert lessons.standings(tmp_path) == {}
    assert lessons.standing(tmp_path, "toy") == lessons.Standing("toy")


def test_a_step_is_open_until_its_quiz_is_over(record):
    record("presented", step="1", cards=["toy.a1", "toy.a2"])
    record("asked", step="1", question="Why?", answer="Because.", by="book")
    record("quizzed", step="1", cards=["toy.a1", "toy.a2"])
    record("graded", step="1", card="toy.a1", rating=1)
    toy = lessons.standing(record.folder, "toy")
    assert (toy.step, toy.open, toy.passed) == ("1", True, [])
    assert toy.asked == [("Why?", "Because.")]
    assert (toy.quiz, toy.grades) == (["toy.a1", "toy.a2"], {"toy.a1": 1})
    record("graded", step="1", card="toy.a2", rating=3)
    record("passed", step="1", right=1, of=2)
    toy = lessons.standing(record.folder, "toy")
    assert (toy.open, toy.passed, toy.missed, toy.quiz) == (False, ["1"], ["toy.a1"], [])


def test_a_missed_card_is_missed_until_it_is_known(record):
    for rating in (1, 1):
        record("graded", step="1", card="toy.a1", rating=rating)
    assert lessons.standing(record.folder, "toy").missed == ["toy.a1"]
    record("graded", step="2", card="toy.a1", rating=2)
    assert lessons.standing(record.folder, "toy").missed == []


def test_beginning_anew_forgets_the_place_and_keeps_the_cards(record):
    record("presented", step="1", cards=["toy.a1"])
    record("passed", step="1")
    record("restarted")
    assert lessons.standing(record.folder, "toy").passed == []
    assert lessons.presented_cards(record.folder) == {"toy.a1": "toy"}


def test_topics_are_kept_apart(record):
    record("presented", step="1", cards=["toy.a1"])
    record("presented", topic="game", step="4", cards=["game.d1"])
    assert {name: one.step for name, one in lessons.standings(record.folder).items()} == {
        "toy": "1",
        "game": "4",
    }


@pytest.mark.parametrize(
    "line",
    [
        b'{"act": "passed", "topic": "toy", "st',
        b"\xff\xfe",
        b"[1, 2]",
        b'{"act": "presented", "topic": 3}',
        b'{"act": "presented", "topic": "toy", "cards": 7, "step": null}',
        b'{"act": "graded", "topic": "toy", "card": ["x"], "rating": "good"}',
        b'{"act": "juggled", "topic": "toy"}',
    ],
)
def test_a_line_that_cannot_be_used_is_left_alone(record, line):
    record("presented", step="1", cards=["toy.a1"])
    path = record.folder / lessons.FILE
    path.write_bytes(path.read_bytes() + line + b"\n")
    record("passed", step="1")
    assert lessons.standing(record.folder, "toy").passed == ["1"]
    assert lessons.presented_cards(record.folder) == {"toy.a1": "toy"}
    assert line in path.read_bytes()


def test_a_question_that_is_no_utf8_is_kept(record):
    record("asked", step="1", question="w\udcffhy?", answer="")
    assert lessons.standing(record.folder, "toy").asked == [("w\udcffhy?", "")]
