import pytest

from warpbook.core.errors import BadInput
from warpbook.kernels.library import (
    file_rung,
    find_rung,
    problem_names,
    read_outline,
    whole_ladder,
)
from warpbook.kernels.shelf import load_problem, outline_of


@pytest.mark.parametrize("name", problem_names())
def test_a_shipped_problem_is_told_by_reading_what_importing_it_gives(name):
    assert read_outline(name) == outline_of(load_problem(name))


def folder(tmp_path, text):
    (tmp_path / "problem.py").write_text(text)
    return str(tmp_path)


def test_an_outline_is_read_from_the_call_without_running_it(tmp_path):
    text = 'raise SystemExit\nproblem: Problem = Problem(name="f", ladder=["a", "b"])\n'
    outline = read_outline(folder(tmp_path, text))
    assert (outline.name, outline.ladder) == ("f", ("a", "b"))
    assert read_outline(folder(tmp_path, 'problem = Problem(name="f")')).ladder == ()


@pytest.mark.parametrize(
    "text",
    [
        "problem = make()",
        'problem = Problem("f")',
        "problem = Problem(name=NAME)",
        'problem = Problem(name="f", ladder=LADDER)',
        'problem = Problem(name="f", ladder=("a", B))',
        'problem = Problem(name="f", peers=PEERS)',
    ],
)
def test_what_is_computed_is_left_to_importing(tmp_path, text):
    assert read_outline(folder(tmp_path, text)) is None


def test_peers_are_found_on_the_ladder_or_off_it(tmp_path):
    text = 'problem = Problem(name="f", ladder=("a", "b"), peers=("b", "c"))'
    outline = read_outline(folder(tmp_path, text))
    assert outline.rungs == ("a", "b", "c")
    (tmp_path / "rungs").mkdir()
    (tmp_path / "rungs" / "c.py").write_text("def f(): ...")
    assert find_rung(outline, "c").name == "c"


def test_a_syntax_error_in_a_problem_is_named_with_its_line(tmp_path):
    with pytest.raises(BadInput, match=r"problem\.py:2: syntax error"):
        read_outline(folder(tmp_path, "x = 1\nproblem = (\n"))


def test_rungs_that_are_not_there_are_refused(tmp_path):
    outline = read_outline(folder(tmp_path, 'problem = Problem(name="f")'))
    with pytest.raises(BadInput, match="f has no rung 'a'; its ladder is: empty"):
        find_rung(outline, "a")
    with pytest.raises(BadInput, match="f has no rungs of its own"):
        whole_ladder(outline)
    with pytest.raises(BadInput, match=r"ends in \.py or \.cu"):
        file_rung(outline, tmp_path / "mine.cpp")
