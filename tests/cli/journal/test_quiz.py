"""`warpbook quiz` and `warpbook card`, as somebody types them."""

import builtins
import json

import pytest
from typer.testing import CliRunner

from warpbook.cli.main import app
from warpbook.journal.cards import proposals, recall
from warpbook.journal.journal import Journal

CARDS = "".join(
    f"Q: question {n}\nA: answer {n}\n<!-- card:card{n} -->\n\n" for n in ("one", "two", "three")
)


@pytest.fixture
def run(book):
    (book / "cards").mkdir()
    (book / "cards" / "gpu.md").write_text(CARDS)

    def invoke(*words, lines=()):
        typed = "".join(f"{line}\n" for line in lines)
        return CliRunner().invoke(app, [*map(str, words)], input=typed)

    return invoke


def log(book):
    path = book / "cards" / "reviews.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def order(run):
    return [one["id"] for one in json.loads(run("quiz", "--json").stdout)]


def test_a_card_is_shown_answered_revealed_and_graded(run, book):
    first, *_ = order(run)
    ended = run("quiz", "--limit", 1, lines=["I think so", "good"])
    assert ended.exit_code == 0
    name = first.removeprefix("card")
    shown = ended.stdout
    assert shown.index(f"question {name}") < shown.index(f"answer {name}")
    assert "1 again 1 min, 2 hard 6 min, 3 good 10 min, 4 easy " in shown
    assert shown.splitlines()[-1].startswith("1 answered in ")
    assert "1 good; 2 still to ask" in shown
    (line,) = log(book)
    assert (line["card"], line["act"], line["rating"]) == (first, "review", 3)


@pytest.mark.parametrize(("typed", "rating"), [("1", 1), ("a", 1), ("H", 2), ("3", 3), ("easy", 4)])
def test_grades_are_numbers_letters_or_words(run, book, typed, rating):
    run("quiz", "--limit", 1, lines=["", typed])
    assert [line["rating"] for line in log(book)] == [rating]


def test_what_was_missed_comes_back_before_the_end(run, book):
    ended = run("quiz", lines=["", "1", "", "4", "", "4", "", "4"])
    assert [line["rating"] for line in log(book)] == [1, 4, 4, 4]
    assert log(book)[0]["card"] == log(book)[3]["card"]
    assert "4 answered" in ended.stdout
    assert "nothing is due now; the next one in " in ended.stdout


def test_an_answer_word_for_word_is_said_to_be_one(run):
    name = order(run)[0].removeprefix("card")
    assert "word for word" in run("quiz", lines=[f"Answer {name}", "3"]).stdout
    assert "word for word" not in run("quiz", lines=["something", "3"]).stdout


def test_what_is_no_grade_is_asked_again(run, book):
    ended = run("quiz", "--limit", 1, lines=["", "", "9", "3"])
    assert ended.stdout.count("1, 2, 3 or 4 for how well") == 2
    assert len(log(book)) == 1


def test_flag_suspend_and_undo(run, book):
    first, second, _ = order(run)
    ended = run("quiz", lines=["", "f", "s", "", "4", "u", "", "1", "q"])
    acts = [(line["act"], line["card"]) for line in log(book)]
    assert acts == [
        ("flag", first),
        ("suspend", first),
        ("review", second),
        ("undo", second),
        ("review", second),
    ]
    assert "undone: easy" in ended.stdout
    assert "1 answered" in ended.stdout
    assert "1 flagged; 1 suspended" in ended.stdout
    assert first not in order(run)


def test_undo_goes_no_further_back_than_this_sitting(run, book):
    run("quiz", "--limit", 1, lines=["", "3"])
    ended = run("quiz", lines=["u", "q"])
    assert "nothing was done yet" in ended.stdout
    assert len(log(book)) == 1


def test_the_end_of_input_loses_nothing(run, book):
    ended = run("quiz", lines=["", "3", ""])
    assert ended.exit_code == 0
    assert "1 answered" in ended.stdout
    assert len(log(book)) == 1


def test_ctrl_c_loses_nothing(run, book, monkeypatch):
    answers = iter(["", "3", "", KeyboardInterrupt])

    def typed(prompt=""):
        said = next(answers)
        if said is KeyboardInterrupt:
            raise said
        return said

    monkeypatch.setattr(builtins, "input", typed)
    ended = run("quiz")
    assert ended.exit_code == 130
    assert "1 answered" in ended.stdout
    assert len(log(book)) == 1


def test_a_card_that_is_reviewed_elsewhere_meanwhile_is_reviewed_once(run, book, monkeypatch):
    first, *_ = order(run)

    def answers():
        yield ""
        with Journal.open(book) as elsewhere:
            recall.review(elsewhere, first, 1)
        yield "3"
        yield "q"

    said = answers()
    monkeypatch.setattr(builtins, "input", lambda prompt="": next(said))
    ended = run("quiz")
    assert ended.exit_code == 0
    assert "this card was reviewed elsewhere meanwhile; that review counts" in ended.stdout
    assert [line["rating"] for line in log(book)] == [1]


def test_a_topic_alone_and_a_topic_that_has_no_cards(run, book):
    (book / "cards" / "cpu.md").write_text("Q: x\nA: y\n<!-- card:xxxx -->\n")
    assert [one["id"] for one in json.loads(run("quiz", "--topic", "cpu", "--json").stdout)] == [
        "xxxx"
    ]
    ended = run("quiz", "--topic", "tpu")
    assert ended.exit_code == 2
    assert "no cards on 'tpu'; the topics there are: cpu, gpu" in ended.stderr


def test_new_cards_are_as_many_as_asked_for(run):
    assert len(json.loads(run("quiz", "--new", 2, "--json").stdout)) == 2
    ended = run("quiz", "--new", 0)
    assert "nothing is due now; 3 new ones wait for another day, or for --new 3" in ended.stdout
    run("quiz", "--new", 1, lines=["", "4"])
    assert len(json.loads(run("quiz", "--new", 1, "--json").stdout)) == 1


def test_a_damaged_line_is_told_and_the_quiz_goes_on(run, book):
    (book / "cards" / "reviews.jsonl").write_text("half a li\n")
    ended = run("quiz", "--limit", 1, lines=["", "3"])
    assert "cards/reviews.jsonl:1: no line of JSON" in ended.stderr
    assert "1 answered" in ended.stdout


def test_hostile_cards_drive_no_terminal(run, book):
    (book / "cards" / "gpu.md").write_text("Q: a\x1b[2J\x07?\nA: [bold]\x9b31m\n")
    shown = run("quiz", "--limit", 1, lines=["", "3"]).stdout
    assert not set(shown) & {"\x1b", "\x07", "\x9b"}
    assert "[bold]" in shown
    for words in (["card", "list"], ["card", "topics"]):
        assert "\x1b" not in run(*words).stdout


def test_bytes_that_are_no_text_are_an_answer_like_any_other(book, run):
    ended = CliRunner().invoke(app, ["quiz", "--limit", "1"], input=b"\xff\xfe\n3\n")
    assert ended.exit_code == 0
    assert len(log(book)) == 1


def test_a_card_is_added_shown_and_not_added_twice(run, book):
    ended = run("card", "add", "What is a bank?", "A slice", "--topic", "Shared memory", "--json")
    made = json.loads(ended.stdout)
    assert (made["path"], made["answer"], set(made["preview"])) == (
        "cards/shared-memory.md",
        "A slice",
        set("1234"),
    )
    again = run("card", "add", "what is a  BANK?", "x", "--topic", "gpu")
    assert again.exit_code == 2
    assert f"warpbook card show {made['id']}" in again.stderr
    shown = run("card", "show", made["id"][:5]).stdout
    assert "A slice" in shown
    assert "asked  never" in shown
    assert run("card", "add", "No answer", "").exit_code == 2


def test_cards_are_listed_flagged_and_suspended_and_back(run):
    assert "cardone" in run("card", "list", "--search", "answer one").stdout
    assert "flagged" in run("card", "flag", "cardone").stdout
    run("card", "suspend", "cardone", "cardtwo")
    (one,) = json.loads(run("card", "list", "--state", "flagged", "--json").stdout)
    assert (one["id"], one["flagged"], one["suspended"]) == ("cardone", True, True)
    run("card", "unflag", "cardone")
    run("card", "unsuspend", "cardtwo")
    assert "undone: unsuspend of cardtwo" in run("card", "undo").stdout
    (topic,) = json.loads(run("card", "topics", "--json").stdout)
    assert (topic["flagged"], topic["suspended"], topic["new"]) == (0, 2, 1)
    assert run("card", "show", "nothing").exit_code == 2
    assert run("card", "list", "--state", "lost").exit_code == 2


def test_proposals_are_approved_or_rejected(run, book):
    new = [proposals.NewCard(f"new {n}?", f"answer {n}", "gpu", "teach") for n in range(3)]
    with Journal.open(book) as journal:
        proposals.add_all(journal, new)
    assert "new 0?" in run("card", "proposals").stdout
    assert f"{new[0].id}  cards/gpu.md:" in run("card", "approve", new[0].id).stdout
    assert "rejected" in run("card", "reject", new[1].id).stdout
    assert run("card", "approve").exit_code == 2
    run("card", "approve", "--all", "--topic", "other")
    assert json.loads(run("card", "proposals", "--json").stdout) == []
    (left,) = json.loads(run("card", "proposals", "--rejected", "--json").stdout)
    assert left["question"] == "new 1?"
    topics = {
        one["name"]: one["cards"] for one in json.loads(run("card", "topics", "--json").stdout)
    }
    assert topics == {"gpu": 4, "other": 1}
