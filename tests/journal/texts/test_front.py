"""Front matter: values with the lines they are in, and edits that leave the rest alone."""

from datetime import date

import pytest

from warpbook.core.errors import BadInput
from warpbook.journal.texts.front import set_values, split

DAY = """---
# of this day
track: gpu   # a text
runs:
- E-31
# the last one
- R-57
minutes: {gpu: 60, reading: 30}
called: "365 # days"
---
# Day 22
"""


def test_values_and_body_are_told_apart():
    front = split(DAY)
    assert front.values == {
        "track": "gpu",
        "runs": ["E-31", "R-57"],
        "minutes": {"gpu": 60, "reading": 30},
        "called": "365 # days",
    }
    assert (front.body, front.body_line, front.problem) == ("# Day 22\n", 11, None)


@pytest.mark.parametrize("text", ["", "text\n", "# ---\n", "---\n\ntext", "----\nkey: x\n---\n"])
def test_a_text_without_front_matter_is_all_body(text):
    front = split(text)
    assert (front.values, front.body, front.body_line, front.problem) == ({}, text, 1, None)


@pytest.mark.parametrize("text", ["---\n---\nbody", "---\n\n---\nbody", "---\n# none\n---\nbody"])
def test_front_matter_may_be_empty(text):
    front = split(text)
    assert (front.values, front.body, front.problem) == ({}, "body", None)


@pytest.mark.parametrize(
    ("block", "line", "said"),
    [
        ("track: gpu\nruns: [E-31\n", 4, "not YAML"),
        ("track: gpu\nruns: @x\n", 3, "not YAML"),
        ("- a list\n", 2, "`key: value`"),
        ("just words\n", 2, "`key: value`"),
        ("a: 1\ntrack: gpu\na: 2\n", 4, "a is there twice, first in line 2"),
        ("a: 1\nday: 2026-02-30\n", 3, "day is out of range"),
        ("1: one\n", 2, "is no text"),
        ("a: &a [x]\nb: *a\n", 3, "aliases"),
        ("a: " + "[" * 45_000 + "]" * 45_000 + "\n", 2, "nested too deeply"),
        ("a: 1\n\nb:\n" + "- " * 45_000 + "x\n", 5, "nested too deeply"),
        ("a: " + "x" * 200_000 + "\n", 2, "more than 100000 characters"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_the_body_stays(block, line, said):
    front = split(f"---\n{block}---\nbody\n")
    assert front.problem is not None
    assert front.problem[0] == line
    assert said in front.problem[1]
    assert (front.values, front.body) == ({}, "body\n")


def test_front_matter_that_never_ends_is_told():
    front = split("---\ntrack: gpu\nbody\n")
    assert front.problem == (1, "the front matter has no second line of ---")
    assert front.body == "---\ntrack: gpu\nbody\n"


def test_only_the_lines_of_the_keys_that_are_set_change():
    changed = set_values(DAY, {"track": "cuda", "minutes": 90, "reading": ["k3f9a2bc"]})
    assert changed == DAY.replace("track: gpu", "track: cuda").replace(
        "minutes: {gpu: 60, reading: 30}", "minutes: 90"
    ).replace('days"\n', 'days"\nreading: [k3f9a2bc]\n')


def test_a_list_over_several_lines_is_replaced_whole():
    changed = set_values(DAY, {"runs": ["R-58"]})
    assert "- R-57" not in changed
    assert split(changed).values["runs"] == ["R-58"]
    assert split(changed).values["called"] == "365 # days"


def test_a_key_is_taken_out_and_the_last_one_takes_the_fences_along():
    assert "called" not in set_values(DAY, {"called": None})
    assert set_values("---\na: 1\n---\nbody", {"a": None}) == "body"
    assert set_values("body", {"a": None}) == "body"


@pytest.mark.parametrize(
    "value", ["a: b", "# x", "yes", "12", "- a", "", "é", "'", date(2026, 1, 4)]
)
def test_any_value_is_read_as_it_was_set(value):
    assert split(set_values("body\n", {"key": value})).values == {"key": value}
    assert split(set_values("body\n", {"key": [value]})).values == {"key": [value]}


def test_front_matter_that_cannot_be_read_is_not_edited():
    with pytest.raises(BadInput, match=r"line 2: .*mend the front matter first"):
        set_values("---\n- a\n---\n", {"track": "gpu"})
