"""Courses: steps with prose and cards; whatever is not so is told with its line."""

import pytest

from warpbook.core.errors import BadInput, NotFound
from warpbook.journal.teaching import course

TOY = """---
title: Toys, from first principles
about: counting
---
## 1. One
A toy is a thing.

```
## no step
Q: no card
```

Q: What is
a toy?
A: A thing:
```
toy

thing
```
<!-- card:toy.a1 -->

Q: How many?
A: One.
<!-- card:toy.a2 -->

## 2. Two
More toys.

Q: And now?
A: Two.
<!-- card:toy.b1 -->
"""


def written(root, text, name="toy"):
    (root / name).mkdir(exist_ok=True)
    (root / name / "course.md").write_text(text)
    return root


def wrong(root, text):
    with pytest.raises(BadInput) as error:
        course.load("toy", written(root, text))
    return str(error.value)


def test_a_course_is_read_step_by_step(tmp_path):
    toy = course.load("toy", written(tmp_path, TOY))
    assert (toy.title, toy.about) == ("Toys, from first principles", "counting")
    assert [(step.number, step.title) for step in toy.steps] == [(1, "One"), (2, "Two")]
    assert toy.steps[0].text == "A toy is a thing.\n\n```\n## no step\nQ: no card\n```"
    assert [card.id for card in toy.steps[0].cards] == ["toy.a1", "toy.a2"]
    assert toy.steps[0].cards[0].question == "What is\na toy?"
    assert toy.steps[0].cards[0].answer == "A thing:\n```\ntoy\n\nthing\n```"


def test_a_cloze_is_a_card_for_each_of_its_numbers(tmp_path):
    text = TOY + "\nA {{c1::warp}} has {{c2::32}}\nthreads.\n<!-- card:toy.b2 -->\n"
    _, one, two = course.load("toy", written(tmp_path, text)).steps[1].cards
    assert (one.id, one.question, one.answer) == ("toy.b2.1", "A [...] has 32\nthreads.", "warp")
    assert (two.id, two.answer) == ("toy.b2.2", "32")
    assert course.find("toy.b2.2", tmp_path)[2] == two


def test_a_card_leads_to_its_step(tmp_path):
    root = written(tmp_path, TOY)
    found = course.find("toy.b1", root)
    assert found is not None
    assert (found[0].problem, found[1].number, found[2].answer) == ("toy", 2, "Two.")
    assert course.find("toy.z9", root) is None
    assert course.find("k3f9a2bc", root) is None
    assert course.find("../x.a1", root) is None


def test_an_edited_course_is_read_again(tmp_path):
    root = written(tmp_path, TOY)
    assert course.load("toy", root).about == "counting"
    written(tmp_path, TOY.replace("counting", "more than that"))
    assert course.load("toy", root).about == "more than that"


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("More toys.\n", "", 27, "without prose"),
        ("Q: And now?\nA: Two.\n<!-- card:toy.b1 -->\n", "", 27, "without cards"),
        ("toy.b1", "toy.a1", 30, "card toy.a1 is also on line 13"),
        ("toy.b1", "other.b1", 30, "the id of a card here"),
        ("<!-- card:toy.a2 -->\n", "", 23, "without its <!-- card"),
        ("A: Two.", "A:", 30, "'A: ...'"),
        ("A: Two.", "A: Two.\n\nAnd more.", 30, "right under it"),
        ("A: Two.", "A: Two.\n<!-- card:toy.b2 -->", 33, "a card is 'Q: ...'"),
        ("Q: And now?", "It has {{c1::two}}.\n\nQ: And now?", 30, "right under it"),
        ("## 2. Two", "## 3. Two", 27, "'## 2. Title'"),
        ("about: counting\n", "", 1, "no about"),
        ("More toys.", "```\nMore toys.", 34, "fence is not closed"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path, old, new, line, told):
    said = wrong(tmp_path, TOY.replace(old, new, 1))
    assert any(f"course.md:{line}: " in one and told in one for one in said.splitlines()), said


def test_every_mistake_is_told_at_once(tmp_path):
    said = wrong(tmp_path, TOY.replace("More toys.\n", "").replace("A: One.", "A:"))
    assert len(said.splitlines()) == 2


def game(root, after):
    text = TOY.replace("card:toy.", "card:game.").replace("about:", f"after: {after}\nabout:")
    return written(root, text, "game")


def test_all_courses_come_in_an_order_to_learn_them(tmp_path):
    written(tmp_path, TOY)
    game(tmp_path, "toy")
    assert [one.problem for one in course.all_courses(tmp_path)] == ["toy", "game"]
    assert course.load("game", tmp_path).after == ("toy",)


@pytest.mark.parametrize("after", ["nobody", "game", "toy, nobody"])
def test_a_course_that_can_never_be_reached_is_an_error(tmp_path, after):
    written(tmp_path, TOY)
    with pytest.raises(BadInput, match="one that is not there: game"):
        course.all_courses(game(tmp_path, after))


def test_a_course_that_is_not_there_names_those_that_are(tmp_path):
    with pytest.raises(NotFound, match="there are: toy"):
        course.load("game", written(tmp_path, TOY))


def test_a_step_that_is_not_there_names_those_that_are(tmp_path):
    with pytest.raises(NotFound, match="steps 1 to 2, no 3"):
        course.load("toy", written(tmp_path, TOY)).step(3)
