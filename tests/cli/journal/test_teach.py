"""`warpbook teach`, as somebody types it: the whole loop, left and taken up again."""

import json

import pytest
from chat_server import chatting
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.journal.teaching import course, lessons

KEY = "sk-not-to-be-seen-42"
STEPS = course.load("vector_add").steps
FIRST = STEPS[0]
NONE = ""  # Enter alone
GOOD = ["an answer", "3"]  # to one card


@pytest.fixture
def teach(book):
    def run(*words, lines=()):
        typed = "".join(f"{line}\n" for line in lines)
        return CliRunner().invoke(app, ["teach", *map(str, words)], input=typed)

    return run


def standing(book, topic="vector_add"):
    return lessons.standing(book, topic)


def known(step):
    """No question, and each of its cards answered."""
    return [NONE, *GOOD * len(step.cards)]


def test_topics_are_listed_with_how_far_one_is(teach, book):
    assert f"{len(STEPS)} steps" in teach().stdout
    teach("vector_add", lines=known(FIRST))
    listed = {one["topic"]: one for one in json.loads(teach("--json").stdout)}
    assert set(course.names()) <= set(listed)
    assert (listed["vector_add"]["passed"], listed["softmax"]["passed"]) == (1, 0)
    assert f"1 of {len(STEPS)}" in teach().stdout


def test_a_step_is_presented_quizzed_and_graded(teach, book):
    ended = teach("vector_add", lines=[*known(FIRST), NONE, "q"])
    assert ended.exit_code == 0
    assert f"step 1 of {len(STEPS)}: {FIRST.title}" in ended.stdout
    assert FIRST.text in ended.stdout
    assert all(card.question in ended.stdout for card in FIRST.cards)
    assert "3 good 10 min" in ended.stdout
    assert f"{len(FIRST.cards)} of {len(FIRST.cards)} right" in ended.stdout
    assert f"step 2 of {len(STEPS)}: {STEPS[1].title}" in ended.stdout
    assert "go on with: warpbook teach vector_add" in ended.stdout
    assert standing(book).passed == ["1"]
    reviews = (book / "cards" / "reviews.jsonl").read_text().splitlines()
    assert len(reviews) == len(FIRST.cards)


def test_a_question_is_answered_with_its_source(teach):
    ended = teach("vector_add", lines=["What is a warp?", NONE, "q"])
    assert "from vector_add, step 2: " in ended.stdout
    assert ended.stdout.count("questions?") == 2


def test_a_question_that_nothing_speaks_of_is_kept(teach, book):
    ended = teach("vector_add", lines=["xyzzy?", "q"])
    assert "nothing in the course or the book speaks of that" in ended.stdout
    assert standing(book).asked == [("xyzzy?", "")]


def test_a_wrong_answer_is_explained_and_comes_back(teach):
    wrong = [NONE, "no idea", "1", *GOOD * (len(FIRST.cards) - 1)]
    right = [NONE, *GOOD * (len(STEPS[1].cards) + 1)]
    ended = teach("vector_add", lines=[*wrong, NONE, *right, "q"])
    first, second = ended.stdout.split(f"step 2 of {len(STEPS)}:")
    assert f"{len(FIRST.cards) - 1} of {len(FIRST.cards)} right" in first
    assert f"once more, in short: step 1, {FIRST.title}" in first
    assert FIRST.cards[0].question in second
    assert f"{len(STEPS[1].cards) + 1} of {len(STEPS[1].cards) + 1} right" in second


def test_a_lesson_that_was_left_goes_on_in_the_middle_of_its_quiz(teach):
    teach("vector_add", lines=[NONE, *GOOD, "q"])
    ended = teach("vector_add", lines=[*GOOD * (len(FIRST.cards) - 1), "q"])
    assert "you go on where you left" in ended.stdout
    assert FIRST.cards[0].question not in ended.stdout
    assert FIRST.text not in ended.stdout
    assert f"{len(FIRST.cards)} of {len(FIRST.cards)} right" in ended.stdout


@pytest.mark.parametrize("lines", [[], ["What is a warp?"], [NONE], [NONE, "an answer"], ["q"]])
def test_the_end_of_input_loses_nothing(teach, book, lines):
    ended = teach("vector_add", lines=lines)
    assert ended.exit_code == 0
    assert "left at step 1" in ended.stdout
    assert standing(book).open
    assert "you go on where you left" in teach("vector_add").stdout


def test_ctrl_c_loses_nothing(teach, book, monkeypatch):
    said = iter([NONE, "an answer", "3"])

    def typed(prompt):
        for line in said:
            return line
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", typed)
    ended = teach("vector_add")
    assert ended.exit_code == 130
    assert "left at step 1" in ended.stdout
    assert len(standing(book).grades) == 1


def test_a_rating_that_is_none_is_asked_for_again(teach, book):
    teach("vector_add", lines=[NONE, "an answer", "7", "perhaps", NONE, "good", "q"])
    assert standing(book).grades == {FIRST.cards[0].id: 3}


def test_a_card_can_be_flagged_or_laid_to_rest(teach, book):
    one, two, *rest = FIRST.cards
    ended = teach("vector_add", lines=[NONE, NONE, "f", "3", NONE, "s", *GOOD * len(rest), "q"])
    assert f"{1 + len(rest)} of {1 + len(rest)} right" in ended.stdout
    lines = (book / "cards" / "reviews.jsonl").read_text().splitlines()
    acts = [(line["card"], line["act"]) for line in map(json.loads, lines)]
    assert acts[:3] == [(one.id, "flag"), (one.id, "review"), (two.id, "suspend")]


def test_a_grade_can_be_taken_back(teach, book):
    rest = GOOD * (len(FIRST.cards) - 1)
    first = ["u", "", "1", "u", *GOOD]  # nothing yet; a slip of the finger, seen on the next card
    ended = teach("vector_add", lines=[NONE, *first, *rest, "u", *GOOD, "q"])
    assert "nothing was graded in this quiz yet" in ended.stdout
    assert ended.stdout.count("undone") == 2
    assert f"{len(FIRST.cards)} of {len(FIRST.cards)} right" in ended.stdout
    assert standing(book).missed == []


def test_bytes_that_are_no_utf8_are_a_question_like_any_other(book):
    ended = CliRunner().invoke(app, ["teach", "vector_add"], input=b"what is a \xff warp?\nq\n")
    assert ended.exit_code == 0
    assert "from vector_add, step 2" in ended.stdout


def test_one_can_begin_at_a_step_or_anew(teach, book):
    assert "step 3 of" in teach("vector_add", "--from", 3, lines=["q"]).stdout
    assert "step 3 of" in teach("vector_add", lines=["q"]).stdout
    assert "step 1 of" in teach("vector_add", "--restart", lines=["q"]).stdout
    ended = teach("vector_add", "--from", 99)
    assert (ended.exit_code, "no 99" in ended.stderr) == (2, True)
    assert standing(book).step == "1"
    assert teach("--restart").exit_code == 2


def test_where_one_is_as_json_changes_nothing(teach, book):
    teach("vector_add", lines=[NONE, "q"])
    before = (book / "cards" / "lessons.jsonl").read_bytes()
    told = json.loads(teach("vector_add", "--json").stdout)
    assert (told["phase"], told["step"]["title"]) == ("quiz", FIRST.title)
    assert told["waiting"] == [card.id for card in FIRST.cards]
    assert (book / "cards" / "lessons.jsonl").read_bytes() == before
    assert teach("vector_add", "--json", "--restart").exit_code == 2


def test_a_topic_of_ones_own_is_taught_from_the_book(teach, book):
    (book / "cards").mkdir(exist_ok=True)
    (book / "cards" / "banks.md").write_text("Q: How many banks?\nA: 32 \x1b[31mbanks\n")
    ended = teach("banks", lines=[NONE, *GOOD, NONE])
    assert ended.exit_code == 0
    assert "1 of 1 right" in ended.stdout
    assert "done." in ended.stdout
    assert "\x1b[31m" not in ended.stdout
    assert "done" in teach().stdout
    assert "done." in teach("banks").stdout


def test_a_topic_that_is_not_there_names_those_that_are(teach):
    ended = teach("bananas")
    assert ended.exit_code == 2
    assert "vector_add" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.fixture
def chat(book, monkeypatch):
    monkeypatch.setenv("TOY_KEY", KEY)
    with chatting() as server:
        with (book / "warpbook.toml").open("a") as file:
            file.write(
                f'[teacher]\nendpoint = "{server.endpoint}"\nmodel = "toy-1"\nkey = "TOY_KEY"\n'
            )
        yield server


def test_a_model_converses_and_its_cards_wait(teach, chat):
    cards = {"cards": [{"question": "Why 32?", "answer": "The width \x1b[2J of it."}]}
    chat.say = [
        f"It is a width. \x1b[2J\n```json\n{json.dumps(cards)}\n```",
        '{"rating": 2, "why": "half of it"}',
    ]
    ended = teach("vector_add", lines=["Why 32?", NONE, "some bytes", NONE, "q"])
    assert ended.exit_code == 0
    assert "It is a width." in ended.stdout
    assert "1 card waits for approval" in ended.stdout
    assert "the model says hard: half of it" in ended.stdout
    assert "\x1b[2J" not in ended.stdout
    assert KEY not in ended.output
    assert all(KEY in headers["Authorization"] for _, headers, _ in chat.requests)


def test_the_persons_grade_is_the_last_word(teach, book, chat):
    chat.say = '{"rating": 1, "why": "all wrong"}'
    teach("vector_add", lines=[NONE, "some bytes", "4", "q"])
    assert standing(book).grades == {FIRST.cards[0].id: 4}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"status": 500, "raw": b"oops"}, "failed (500)"),
        ({"status": 401, "raw": KEY.encode()}, "does not accept the key"),
        ({"raw": b"garbage"}, "not JSON"),
    ],
)
def test_a_model_that_fails_is_told_and_the_lesson_goes_on(teach, book, chat, how, words):
    for name, value in how.items():
        setattr(chat, name, value)
    ended = teach("vector_add", lines=["What is a warp?", *known(FIRST), "q"])
    assert ended.exit_code == 0
    assert words in ended.stderr
    assert "from vector_add, step 2: " in ended.stdout
    assert "right" in ended.stdout
    assert KEY not in ended.output
    assert len(chat.requests) == 2  # the question, and one grade: it is not asked for more


def test_without_a_key_the_lesson_goes_on(teach, chat, monkeypatch):
    monkeypatch.delenv("TOY_KEY")
    ended = teach("vector_add", lines=["What is a warp?", "q"])
    assert "no $TOY_KEY" in ended.stderr
    assert chat.requests == []
